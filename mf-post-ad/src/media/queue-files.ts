import type { MediaStore } from './media-state.ts';
import type { PendingFile, PendingFiles } from './pending-files.ts';

export type QueueFiles = ReturnType<typeof createQueueFiles>;

/**
 * Owns the files of a queue until their upload ends, and the ids under which this browser and the server store them.
 * Invariant: this browser stores a file exactly while the file has an id here.
 */
export function createQueueFiles(media: Pick<MediaStore, 'find' | 'state'>, pending: PendingFiles | undefined) {
  const files = new Map<string, File>();
  /** The ids of stored files by the key of their item. */
  const pendingIds = new Map<string, string>();
  /** The ids of uploads that have begun on the server and can be resumed, by the key of their item. */
  const uploadIds = new Map<string, string>();

  function store(key: string): void {
    const item = media.find(key);
    const file = files.get(key);
    const id = pendingIds.get(key);
    if (!item || !file || id === undefined) return;
    const index = media.state().photos.indexOf(item);
    pending?.save({ id, kind: item.kind, file, index, uploadId: uploadIds.get(key) ?? null });
  }

  /** Removes the stored copy of a file. The file can be uploaded again, from the beginning. */
  function forget(key: string): void {
    const id = pendingIds.get(key);
    pendingIds.delete(key);
    uploadIds.delete(key);
    if (id !== undefined) pending?.remove(id);
  }

  return {
    find: (key: string) => files.get(key),
    add: (key: string, file: File) => void files.set(key, file),
    /** Adds a file that this browser has stored. */
    addStored(key: string, { file, id, uploadId }: PendingFile): void {
      files.set(key, file);
      pendingIds.set(key, id);
      if (uploadId !== null) uploadIds.set(key, uploadId);
    },
    storedIds: (): ReadonlySet<string> => new Set(pendingIds.values()),
    /** Stores the file of an item until its upload ends. */
    keep(key: string): void {
      if (pendingIds.has(key)) return;
      // Does not use `randomUUID`, because browsers offer it on secure origins only.
      pendingIds.set(key, `${Date.now()}-${crypto.getRandomValues(new Uint32Array(2)).join('-')}`);
      store(key);
    },
    /** Returns the id of an upload that can be resumed, or null. */
    uploadId: (key: string) => uploadIds.get(key) ?? null,
    /** Stores the id of the upload that sends `file`, or with null that the upload cannot be resumed. */
    recordUpload(key: string, uploadId: string | null, file: File): void {
      if (uploadId === null) uploadIds.delete(key);
      else uploadIds.set(key, uploadId);
      // A resumed upload must send the same bytes, so the prepared photo replaces the chosen one.
      files.set(key, file);
      store(key);
    },
    forget,
    /** Forgets a file that was uploaded or removed. */
    remove(key: string): void {
      files.delete(key);
      forget(key);
    },
  };
}
