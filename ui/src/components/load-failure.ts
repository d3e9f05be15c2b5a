/**
 * Returns true if code could not be loaded because a file did not arrive or was rejected by the browser, and false if
 * the code has thrown. The names are those of the bundler. A chunk is `missing` if its script has thrown.
 */
export function isLoadFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === 'CSS_CHUNK_LOAD_FAILED') return true;
  return error.name === 'ChunkLoadError' && !('type' in error && error.type === 'missing');
}
