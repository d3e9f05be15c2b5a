import { stat } from 'node:fs/promises';

/**
 * Creates a function that returns the result of `read`, which reads a file. The file is read again only after it was
 * replaced, and simultaneous calls share one read. After a failed read, the next call reads again. The result of the
 * function rejects if the file does not exist, or with the error of `read`.
 */
export function whenReplaced<Value>(file: string, read: () => Promise<Value>): () => Promise<Value> {
  let last: { version: string; readonly value: Promise<Value> } | undefined;
  return async () => {
    const { ino, mtimeMs } = await stat(file);
    const version = `${ino}:${mtimeMs}`;
    if (last?.version !== version) {
      const current = { version, value: read() };
      current.value.catch(() => {
        current.version = '';
      });
      last = current;
    }
    await last.value;
    // The file may have been replaced again meanwhile. No call returns an older value after a newer one.
    return last.value;
  };
}
