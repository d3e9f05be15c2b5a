/** The beginning of the names of temporary folders with uploaded files. Killed processes leave such folders behind. */
export const FOLDER_PREFIX = 'alpenglow-media-';
