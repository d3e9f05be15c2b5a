import { expect, test } from 'vitest';
import { findPost, countPosts, hasPost, updatePost, appendPost, type PostList } from '../../src/thread/post-list.ts';

const listOf = (count: number) =>
  Array.from({ length: count }, (_, number) => number).reduce<PostList<number>>(appendPost, []);

test.each([0, 1, 127, 128, 129, 256, 300])('a list of %i posts returns exactly these posts by number', (count) => {
  const list = listOf(count);
  expect(countPosts(list)).toBe(count);
  expect(Array.from({ length: count }, (_, number) => findPost(list, number))).toEqual(
    Array.from({ length: count }, (_, number) => number),
  );
  for (const number of [-1, count, count + 128, 0.5, 1e9])
    expect(findPost(list, number), String(number)).toBeUndefined();
});

test('a change returns another list, and does not modify the original one', () => {
  const list = listOf(300);
  const changed = updatePost(list, 200, (post) => post * 10);
  expect([findPost(changed, 199), findPost(changed, 200), findPost(changed, 201), countPosts(changed)]).toEqual([
    199, 2_000, 201, 300,
  ]);
  expect(findPost(list, 200)).toBe(200);
});

test('a change of an unknown number changes nothing', () => {
  const list = listOf(130);
  for (const number of [130, 128 * 5, -1]) expect(updatePost(list, number, () => 0)).toBe(list);
});

test('a search includes every chunk', () => {
  const list = listOf(300);
  for (const number of [0, 127, 128, 299]) expect(hasPost(list, (post) => post === number)).toBe(true);
  expect(hasPost(list, (post) => post === 300)).toBe(false);
});
