/** Ad ids that are kept in this browser (specification, section 3, "Favorites"), the last added first. */
export interface Favorites {
  readonly all: () => readonly string[];
  readonly has: (adId: string) => boolean;
  /** @throws where the browser refuses to store it, as `remove`, `toggle` and `replace` */
  readonly add: (adId: string) => void;
  readonly remove: (adId: string) => void;
  readonly toggle: (adId: string) => void;
  readonly replace: (adIds: readonly string[]) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export type KeptStorage = Pick<Storage, 'getItem' | 'setItem'>;

const NONE: readonly string[] = [];

/** `favorites:<e-mail, lower-cased>`, or the guests' bucket. */
export function bucketOf(email: string | null): string {
  return `favorites:${ownerOf(email)}`;
}

/** Where it is kept what the server was last known to have of somebody's favorites. */
export function knownBucketOf(email: string): string {
  return `favorites-known:${ownerOf(email)}`;
}

const ownerOf = (email: string | null) => email?.trim().toLowerCase() || 'guest';

/** The favorites of one bucket. Damaged storage counts as empty. */
export function createFavorites(storage: KeptStorage, bucket: string): Favorites {
  const listeners = new Set<() => void>();
  let lastText: string | null = null;
  let lastIds = NONE;

  // The same text gives the same list, as `useSyncExternalStore` needs it.
  const all = () => {
    const text = readText(storage, bucket);
    if (text !== lastText) {
      lastText = text;
      lastIds = parse(text);
    }
    return lastIds;
  };
  const has = (adId: string) => all().includes(adId);
  const replace = (adIds: readonly string[]) => {
    const text = JSON.stringify(adIds);
    if (text === lastText) return;
    storage.setItem(bucket, text);
    listeners.forEach((listener) => listener());
  };
  const add = (adId: string) => {
    if (!has(adId)) replace([adId, ...all()]);
  };
  const remove = (adId: string) => {
    if (has(adId)) replace(all().filter((id) => id !== adId));
  };

  return {
    all,
    has,
    add,
    remove,
    toggle: (adId) => (has(adId) ? remove(adId) : add(adId)),
    replace,
    subscribe(listener) {
      listeners.add(listener);
      // Another tab has changed it; a key of null: everything was cleared.
      const onStorage = ({ key }: StorageEvent) => (key === bucket || key === null) && listener();
      globalThis.addEventListener?.('storage', onStorage);
      return () => {
        listeners.delete(listener);
        globalThis.removeEventListener?.('storage', onStorage);
      };
    },
  };
}

/** What is stored under a key; null when there is nothing, or storage is refused. */
export function readText(storage: Pick<Storage, 'getItem'>, key: string): string | null {
  try {
    return storage.getItem(key);
  } catch {
    return null;
  }
}

function parse(text: string | null): readonly string[] {
  if (text === null) return NONE;
  try {
    const ids: unknown = JSON.parse(text);
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : NONE;
  } catch {
    return NONE;
  }
}
