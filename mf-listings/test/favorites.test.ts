import { expect, test } from 'vitest';
import { bucketOf, createFavorites } from '../src/favorites/favorites.ts';

function memory(entries: Record<string, string> = {}) {
  const kept = new Map(Object.entries(entries));
  return { kept, getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) };
}

test('a bucket per e-mail, lower-cased; one for guests', () => {
  expect(bucketOf(' Anna@Example.COM ')).toBe('favorites:anna@example.com');
  expect(bucketOf(null)).toBe('favorites:guest');
});

test('kept newest first, taken away by the same press', () => {
  const storage = memory();
  const favorites = createFavorites(storage, bucketOf(null));
  favorites.toggle('a');
  favorites.toggle('b');
  expect(favorites.all()).toEqual(['b', 'a']);
  favorites.toggle('b');
  expect(favorites.all()).toEqual(['a']);
  expect(createFavorites(storage, bucketOf(null)).all(), 'kept for the next visit').toEqual(['a']);
  expect(createFavorites(storage, bucketOf('a@b.ch')).all(), 'and for nobody else').toEqual([]);
});

test('listeners hear of a change; an unchanged list is the same list', () => {
  const favorites = createFavorites(memory(), bucketOf(null));
  let heard = 0;
  const stop = favorites.subscribe(() => (heard += 1));
  favorites.toggle('a');
  expect(heard).toBe(1);
  expect(favorites.all()).toBe(favorites.all());
  stop();
  favorites.toggle('b');
  expect(heard).toBe(1);
});

test.each(['not json', '{"a":1}', '[1,null,"a"]'])('damaged storage (%s) counts as what can be read of it', (text) => {
  expect(createFavorites(memory({ 'favorites:guest': text }), bucketOf(null)).all()).toEqual(text.startsWith('[') ? ['a'] : []);
});
