import { expect, test } from 'vitest';
import { numberIds, toMediaIds, withoutId } from '../src/history/id-numbers.ts';

const [one, two] = ['01a22a39-1111-7222-8333-444455556666', '76d9421b-1111-4222-8333-444455556666'];
const change = (
  field: string,
  before: string | readonly string[] | null,
  after: string | readonly string[] | null,
) => ({
  field,
  before,
  after,
});

test('reviews, photos and videos in changes have numbers instead of ids', () => {
  const changes = [
    change(`reviews.${one}.name`, null, 'Kim'),
    change(`reviews.${one}.rating`, null, null),
    change(`reviews.${two}.name`, 'Max', null),
    change('photos', ['p1', 'p2'], ['p2', 'p3']),
    change('video', null, 'v1'),
    change('title', 'Old', 'New'),
  ];
  const numbered = numberIds(changes);
  expect(numbered).toEqual([
    { field: 'reviews', id: one, number: 1 },
    { field: 'reviews', id: two, number: 2 },
    { field: 'photos', id: 'p1', number: 1 },
    { field: 'photos', id: 'p2', number: 2 },
    { field: 'photos', id: 'p3', number: 3 },
    { field: 'video', id: 'v1', number: 1 },
  ]);
  expect(withoutId(`reviews.${two}.name`, numbered)).toBe('reviews.2.name');
  expect(withoutId('title', numbered)).toBe('title');
});

test('the only review of a change has no number, and posts keep theirs', () => {
  const changes = [change(`reviews.${one}.name`, null, 'Kim'), change('posts.3.status', 'visible', 'hidden')];
  const numbered = numberIds(changes);
  expect(changes.map(({ field }) => withoutId(field, numbered))).toEqual(['reviews.name', 'posts.3.status']);
});

test('a missing photo or video has no id', () => {
  expect([toMediaIds(null), toMediaIds(''), toMediaIds([]), toMediaIds('v1')]).toEqual([[], [], [], ['v1']]);
});
