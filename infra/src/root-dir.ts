import path from 'node:path';

/**
 * The absolute path of the root folder of the repository or of a container image. This source file and the bundles in
 * `launcher/dist` are both two folders below the root folder.
 */
export const ROOT_DIR = path.resolve(import.meta.dirname, '../..');
