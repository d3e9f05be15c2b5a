import { expect, test } from 'vitest';
import { createDraftStore } from '../src/write/draft.ts';

/** As the browser's, in memory. */
function storage() {
  const kept = new Map<string, string>();
  return {
    kept,
    get length() {
      return kept.size;
    },
    key: (index: number) => [...kept.keys()][index] ?? null,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

const DAY_ms = 24 * 60 * 60_000;

test('what was typed is there again, for whoever typed it alone', () => {
  const store = storage();
  createDraftStore({ viewer: 'ann', name: 'reply.1', storage: store }).save({ body: 'Half a' });
  expect(createDraftStore({ viewer: 'ann', name: 'reply.1', storage: store }).load()).toEqual({ body: 'Half a' });
  expect(createDraftStore({ viewer: 'ann', name: 'reply.2', storage: store }).load()).toBeNull();
  expect(createDraftStore({ viewer: 'bob', name: 'reply.1', storage: store }).load()).toBeNull();
});

test('nothing is kept of nothing, of what was sent, and of what is a week old', () => {
  const store = storage();
  let now_ms = 0;
  const draft = createDraftStore({ viewer: 'ann', name: 'thread', storage: store, now_ms: () => now_ms });
  draft.save({ title: 'A', body: '' });
  now_ms = 7 * DAY_ms - 1;
  expect(draft.load()).toEqual({ title: 'A', body: '' });
  now_ms = 7 * DAY_ms;
  expect(draft.load()).toBeNull();
  expect(store.kept.size).toBe(0);
  draft.save({ body: 'B' });
  draft.save({ body: '  ' });
  expect(store.kept.size).toBe(0);
  draft.save({ body: 'B' });
  draft.clear();
  expect(draft.load()).toBeNull();
});

test('a store that is full, and nonsense in it, cost the draft, not the form', () => {
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
  store.kept.set('alpenglow.draft.ann.community.thread', 'nonsense');
  expect(createDraftStore({ viewer: 'ann', name: 'thread', storage: store }).load()).toBeNull();
});
