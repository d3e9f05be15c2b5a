import { expect, test } from 'vitest';
import { createDraftStore } from '../src/write/draft.ts';

/** Creates a storage in memory. */
function storage() {
  const items = new Map<string, string>();
  return {
    items,
    get length() {
      return items.size;
    },
    key: (index: number) => [...items.keys()][index] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}

const DAY_ms = 24 * 60 * 60_000;

test('a draft is restored, but only for its author and its name', () => {
  const store = storage();
  createDraftStore({ viewer: 'ann', name: 'reply.1', storage: store }).save({ body: 'Half a' });
  expect(createDraftStore({ viewer: 'ann', name: 'reply.1', storage: store }).load()).toEqual({ body: 'Half a' });
  expect(createDraftStore({ viewer: 'ann', name: 'reply.2', storage: store }).load()).toBeNull();
  expect(createDraftStore({ viewer: 'bob', name: 'reply.1', storage: store }).load()).toBeNull();
});

test('a draft is deleted when it is blank, after sending, and after a week', () => {
  const store = storage();
  let now_ms = 0;
  const draft = createDraftStore({ viewer: 'ann', name: 'thread', storage: store, now_ms: () => now_ms });
  draft.save({ title: 'A', body: '' });
  now_ms = 7 * DAY_ms - 1;
  expect(draft.load()).toEqual({ title: 'A', body: '' });
  now_ms = 7 * DAY_ms;
  expect(draft.load()).toBeNull();
  expect(store.items.size).toBe(0);
  draft.save({ body: 'B' });
  draft.save({ body: '  ' });
  expect(store.items.size).toBe(0);
  draft.save({ body: 'B' });
  draft.clear();
  expect(draft.load()).toBeNull();
});

test('full storage and invalid drafts cause no error', () => {
  const store = storage();
  const draft = createDraftStore({
    viewer: 'ann',
    name: 'thread',
    storage: {
      ...store,
      setItem() {
        throw new Error('full');
      },
    },
  });
  expect(() => draft.save({ body: 'B' })).not.toThrow();
  store.items.set('alpenglow.draft.ann.community.thread', 'nonsense');
  expect(createDraftStore({ viewer: 'ann', name: 'thread', storage: store }).load()).toBeNull();
});
