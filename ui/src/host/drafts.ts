/** Drafts of forms that this browser keeps for a visitor. Remotes write them; the shell deletes them when the visitor logs out, whatever remote is there. */

type Store = Pick<Storage, 'key' | 'length' | 'removeItem'>;

const PREFIX = 'alpenglow.draft.';
const GUEST = 'guest';

/** What the keys of a visitor's drafts begin with; `viewer` is the user's id, null a guest. */
export const draftPrefix = (viewer: string | null): string => `${PREFIX}${viewer ?? GUEST}.`;

/** The keys of all drafts, or of one visitor's. */
export function draftKeys(store: Pick<Store, 'key' | 'length'>, prefix: string = PREFIX): readonly string[] {
  return Array.from({ length: store.length }, (_, index) => store.key(index) ?? '').filter((key) =>
    key.startsWith(prefix),
  );
}

/** Deletes what a visitor, and a guest of this browser, left behind: drafts hold phone numbers, and a machine may be shared. */
export function clearDrafts(store: Store, viewer: string): void {
  for (const key of [...draftKeys(store, draftPrefix(viewer)), ...draftKeys(store, draftPrefix(null))])
    store.removeItem(key);
}
