import { expect, test } from 'vitest';
import { changesBetween } from '../../src/history/changes.ts';

test('only fields that differ are told, in their order', () => {
  expect(changesBetween({ title: 'A', price: null, city: 'Reno' }, { title: 'B', price: '200', city: 'Reno' })).toEqual(
    [
      { field: 'title', before: 'A', after: 'B' },
      { field: 'price', before: null, after: '200' },
    ],
  );
});
test('fields of fields are named with a dot; against null, each that is there differs', () => {
  const changes = [{ field: 'social.website', before: null, after: 'https://a.example' }];
  expect(changesBetween({ social: null }, { social: { website: 'https://a.example', instagram: null } })).toEqual(
    changes,
  );
  expect(
    changesBetween(
      { social: { website: null, instagram: null } },
      { social: { website: 'https://a.example', instagram: null } },
    ),
  ).toEqual(changes);
});
test('entries of a list go by their id, whatever their order', () => {
  const [first, second] = [
    { id: 'r1', rating: 5 },
    { id: 'r2', rating: 3 },
  ];
  expect(changesBetween({ reviews: [first, second] }, { reviews: [second, first] })).toEqual([]);
  expect(changesBetween({ reviews: [first] }, { reviews: [first, second] })).toEqual([
    { field: 'reviews.r2.rating', before: null, after: 3 },
  ]);
});
test('a list of words is one value: another order is another value', () => {
  expect(changesBetween({ photos: ['a', 'b'] }, { photos: ['a', 'b'] })).toEqual([]);
  expect(changesBetween({ photos: ['a', 'b'] }, { photos: ['b', 'a'] })).toEqual([
    { field: 'photos', before: ['a', 'b'], after: ['b', 'a'] },
  ]);
});
test('something new differs from nothing in all it has', () => {
  expect(changesBetween(null, { title: 'A', phone: null })).toEqual([{ field: 'title', before: null, after: 'A' }]);
  expect(changesBetween({ title: 'A' }, null)).toEqual([{ field: 'title', before: 'A', after: null }]);
});
