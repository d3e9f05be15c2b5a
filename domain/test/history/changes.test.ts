import { expect, test } from 'vitest';
import { findChanges } from '../../src/history/changes.ts';

test('returns only the fields that differ, in their order', () => {
  expect(findChanges({ title: 'A', price: null, city: 'Reno' }, { title: 'B', price: '200', city: 'Reno' })).toEqual([
    { field: 'title', before: 'A', after: 'B' },
    { field: 'price', before: null, after: '200' },
  ]);
});
test('names nested fields with a dot, and lists each set field as different from null', () => {
  const changes = [{ field: 'social.website', before: null, after: 'https://a.example' }];
  expect(findChanges({ social: null }, { social: { website: 'https://a.example', instagram: null } })).toEqual(changes);
  expect(
    findChanges(
      { social: { website: null, instagram: null } },
      { social: { website: 'https://a.example', instagram: null } },
    ),
  ).toEqual(changes);
});
test('compares entries of a list by id, regardless of their order', () => {
  const [first, second] = [
    { id: 'r1', rating: 5 },
    { id: 'r2', rating: 3 },
  ];
  expect(findChanges({ reviews: [first, second] }, { reviews: [second, first] })).toEqual([]);
  expect(findChanges({ reviews: [first] }, { reviews: [first, second] })).toEqual([
    { field: 'reviews.r2.rating', before: null, after: 3 },
  ]);
});
test('compares a list of texts as one value, including its order', () => {
  expect(findChanges({ photos: ['a', 'b'] }, { photos: ['a', 'b'] })).toEqual([]);
  expect(findChanges({ photos: ['a', 'b'] }, { photos: ['b', 'a'] })).toEqual([
    { field: 'photos', before: ['a', 'b'], after: ['b', 'a'] },
  ]);
});
test('lists all set fields of a new or removed object', () => {
  expect(findChanges(null, { title: 'A', phone: null })).toEqual([{ field: 'title', before: null, after: 'A' }]);
  expect(findChanges({ title: 'A' }, null)).toEqual([{ field: 'title', before: 'A', after: null }]);
});
