// @ts-check
/**
 * Returns the files of an event for react-dropzone. This function replaces the package `file-selector`, which contains
 * a table of 1,200 file types (10 KB gzip). The table is not needed, because the form detects file types itself and
 * does not accept folders.
 * @param {{ readonly dataTransfer?: DataTransfer | null, readonly target?: { readonly files?: FileList | null } | null
 * }} event
 * @returns {Promise<File[]>}
 */
export async function fromEvent({ dataTransfer, target }) {
  return [...(dataTransfer?.files ?? target?.files ?? [])];
}
