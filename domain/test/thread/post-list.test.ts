import { expect, test } from 'vitest';
import { postAt, postCount, somePost, withChange, withPost, type PostList } from '../../src/thread/post-list.ts';

const listOf = (count: number) =>
  Array.from({ length: count }, (_, number) => number).reduce<PostList<number>>(withPost, []);

test.each([0, 1, 127, 128, 129, 256, 300])('a list of %i posts has them by number, and no other', (count) => {
  const list = listOf(count);
  expect(postCount(list)).toBe(count);
  expect(Array.from({ length: count }, (_, number) => postAt(list, number))).toEqual(
    Array.from({ length: count }, (_, number) => number),
  );
  for (const number of [-1, count, count + 128, 0.5, 1e9]) expect(postAt(list, number), String(number)).toBeUndefined();
});

test('a change makes another list, and leaves the one there was', () => {
  const list = listOf(300);
  const changed = withChange(list, 200, (post) => post * 10);
  expect([postAt(changed, 199), postAt(changed, 200), postAt(changed, 201), postCount(changed)]).toEqual([
    199, 2_000, 201, 300,
  ]);
  expect(postAt(list, 200)).toBe(200);
});

test('a change of what is not there changes nothing', () => {
  const list = listOf(130);
  for (const number of [130, 128 * 5, -1]) expect(withChange(list, number, () => 0)).toBe(list);
});

test('a post is looked for in every piece', () => {
  const list = listOf(300);
  for (const number of [0, 127, 128, 299]) expect(somePost(list, (post) => post === number)).toBe(true);
  expect(somePost(list, (post) => post === 300)).toBe(false);
});
