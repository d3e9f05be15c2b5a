/**
 * Keeps the files of a form in this browser until their upload ends, so that a reload loses none of them. They
 * are in IndexedDB, because local storage cannot store files. The shell deletes them at logout (`clearDraftFiles`).
 */
import { MAX_PHOTOS } from '@alpenglow/domain/contracts';
import { DRAFT_FILES, DRAFT_LIFETIME_ms } from '@alpenglow/ui';
import { createStore, del, delMany, entries, keys, set, type UseStore } from 'idb-keyval';
import type { MediaKind } from './media-item.ts';

/** A chosen file whose upload has not ended. */
export interface PendingFile {
  readonly id: string;
  readonly kind: MediaKind;
  readonly file: File;
  /** The position of a photo in the form. */
  readonly index: number;
  /** The id of the upload on the server, which can be resumed. Null if the upload has not begun. */
  readonly uploadId: string | null;
}

interface StoredFile extends Omit<PendingFile, 'id' | 'uploadId'> {
  readonly uploadId?: string | null;
  readonly savedAt_ms: number;
}

/** The pending files of one form. A browser that cannot store files loses them with a reload, and nothing else. */
export interface PendingFiles {
  /**
   * Returns the files that an earlier page has left, photos in their order. If the form is also open in another tab,
   * waits until it is closed, so that two tabs never upload the same file.
   */
  readonly load: () => Promise<readonly PendingFile[]>;
  readonly save: (file: PendingFile) => void;
  readonly remove: (id: string) => void;
  /** Lets another tab load the files. */
  readonly close: () => void;
}

/** The running deletion of discarded files. A form that opens in the meantime waits for it. */
let clearing: Promise<unknown> = Promise.resolve();
let openStore: UseStore | undefined;
const store = (): UseStore => (openStore ??= createStore(DRAFT_FILES.database, DRAFT_FILES.store));

/** Runs an access to the storage. A browser that denies it, or whose storage is full, does not disturb the form. */
async function ignoreErrors(access: () => Promise<unknown>): Promise<void> {
  try {
    await access();
  } catch {
    // Without storage, a reload loses the file, about which the browser warns.
  }
}

/** Opens the pending files of the form whose draft has the storage key `draftKey`. */
export function openPendingFiles(draftKey: string, now_ms: () => number = Date.now): PendingFiles {
  const waiting = new AbortController();
  let release: (() => void) | null = null;
  const keyOf = (id: string) => `${draftKey}/${id}`;

  /** Resolves when no other tab uses the files. Rejects if the form is closed before. */
  const own = () =>
    new Promise<void>((resolve, reject) => {
      // Browsers offer locks on secure origins only.
      if (!('locks' in navigator)) {
        resolve();
        return;
      }
      navigator.locks
        .request(`${DRAFT_FILES.database} ${draftKey}`, { signal: waiting.signal }, () => {
          resolve();
          return new Promise<void>((end) => {
            release = end;
          });
        })
        .catch(reject);
    });

  return {
    async load() {
      try {
        await own();
        await clearing;
        const stored = await entries<string, StoredFile>(store());
        const isExpired = ({ savedAt_ms }: StoredFile) => now_ms() - savedAt_ms >= DRAFT_LIFETIME_ms;
        await delMany(
          stored.filter(([, file]) => isExpired(file)).map(([key]) => key),
          store(),
        );
        const files = stored
          .filter(([key, file]) => key.startsWith(keyOf('')) && !isExpired(file))
          .map(([key, { kind, file, index, uploadId }]) => ({
            id: key.slice(keyOf('').length),
            kind,
            file,
            index,
            // Older versions of this page have stored no id.
            uploadId: uploadId ?? null,
          }));
        const photos = files.filter(({ kind }) => kind === 'photo').sort((one, other) => one.index - other.index);
        return [...photos.slice(0, MAX_PHOTOS), ...files.filter(({ kind }) => kind === 'video').slice(0, 1)];
      } catch {
        return [];
      }
    },
    save({ id, ...file }) {
      const stored: StoredFile = { ...file, savedAt_ms: now_ms() };
      void ignoreErrors(() => set(keyOf(id), stored, store()));
    },
    remove(id) {
      void ignoreErrors(() => del(keyOf(id), store()));
    },
    close() {
      waiting.abort();
      release?.();
    },
  };
}

/** Deletes the pending files of a form whose content was sent or discarded. */
export function clearPendingFiles(draftKey: string): void {
  clearing = ignoreErrors(async () => {
    const all = await keys<string>(store());
    await delMany(
      all.filter((key) => key.startsWith(`${draftKey}/`)),
      store(),
    );
  });
}
