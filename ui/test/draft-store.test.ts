import { expect, test } from 'vitest';
import { clearDrafts, createTextDraftStore, DRAFT_LIFETIME_ms } from '../src/index.ts';
import { createMemoryStorage } from '../../tests/support/memory-storage.ts';

test('a draft is restored, but only for its author and its name', () => {
  const storage = createMemoryStorage();
  createTextDraftStore({ viewer: 'ann', name: 'reply.1', storage, now_ms: () => 5 }).save({ body: 'Half a' });
  const load = (viewer: string | null, name: string) =>
    createTextDraftStore({ viewer, name, storage, now_ms: () => 6 }).load();
  expect(load('ann', 'reply.1')).toEqual({ values: { body: 'Half a' }, savedAt_ms: 5 });
  expect(load('ann', 'reply.2')).toBeNull();
  expect(load('bob', 'reply.1')).toBeNull();
  expect(load(null, 'reply.1')).toBeNull();
});

test('a draft is deleted when it is blank, after sending, and after a week', () => {
  const storage = createMemoryStorage();
  let now_ms = 0;
  const draft = createTextDraftStore({ viewer: 'ann', name: 'thread', storage, now_ms: () => now_ms });
  draft.save({ title: 'A', body: '' });
  now_ms = DRAFT_LIFETIME_ms - 1;
  expect(draft.load()?.values).toEqual({ title: 'A', body: '' });
  now_ms = DRAFT_LIFETIME_ms;
  expect(draft.load()).toBeNull();
  expect(storage.items.size, 'expired drafts are deleted').toBe(0);
  draft.save({ body: 'B' });
  expect(draft.save({ body: '  ' })).toBe(true);
  expect(storage.items.size).toBe(0);
  draft.save({ body: 'B' });
  draft.clear();
  expect(draft.load()).toBeNull();
});

test('full storage is reported, and invalid drafts are ignored', () => {
  const storage = createMemoryStorage();
  const failToStore = () => {
    throw new Error('full');
  };
  const full = createTextDraftStore({ viewer: 'ann', name: 'x', storage: { ...storage, setItem: failToStore } });
  expect(full.save({ body: 'B' })).toBe(false);
  const draft = createTextDraftStore({ viewer: 'ann', name: 'x', storage, now_ms: () => 2 });
  for (const text of ['nonsense', '[]', '{"values":3,"savedAt_ms":1}', '{"values":{}}']) {
    storage.items.set(draft.key, text);
    expect(draft.load(), text).toBeNull();
    expect(storage.items.size, text).toBe(0);
  }
  storage.items.set(draft.key, '{"values":{"body":"B","count":3},"savedAt_ms":1}');
  expect(draft.load()?.values).toEqual({ body: 'B' });
});

test('a logout deletes the drafts of the user and of guests', () => {
  const storage = createMemoryStorage();
  for (const viewer of ['ann', 'bob', null])
    createTextDraftStore({ viewer, name: 'note', storage }).save({ text: 'About Cleo' });
  clearDrafts(storage, 'ann');
  expect([...storage.items.keys()]).toEqual(['alpenglow.draft.bob.note']);
});
