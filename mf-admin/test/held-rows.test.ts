import { expect, test } from 'vitest';
import { countWaiting, holdRows, toRows } from '../src/panel/held-rows.ts';

const item = (id: string, text = '') => ({ id, text });
const ids = (rows: ReturnType<typeof toRows<{ readonly id: string }>>) =>
  rows.map(({ item: { id }, isGone }) => (isGone ? `${id} (gone)` : id));

test('rows keep their order, and missing ones stay as marked rows', () => {
  const rows = holdRows(toRows([item('a'), item('b'), item('c')]), [item('c'), item('a', 'changed')]);
  expect(ids(rows)).toEqual(['a', 'b (gone)', 'c']);
  expect(rows[0]?.item.text).toBe('changed');
});

test('new items wait if they would move a row, and are appended otherwise', () => {
  const items = [item('urgent'), item('a'), item('new'), item('b'), item('last')];
  const rows = holdRows(toRows([item('a'), item('b')]), items);
  expect(ids(rows)).toEqual(['a', 'b', 'last']);
  expect(countWaiting(rows, items)).toBe(2);
});

test('marked and appended rows stay during further updates', () => {
  const first = holdRows(toRows([item('a'), item('b')]), [item('b'), item('c')]);
  const second = holdRows(first, [item('b')]);
  expect(ids(second)).toEqual(['a (gone)', 'b', 'c (gone)']);
  expect(ids(holdRows(second, [item('a'), item('b'), item('c')]))).toEqual(['a', 'b', 'c']);
});

test('if all items have left the list, new ones follow them', () => {
  const rows = holdRows(toRows([item('a')]), [item('b')]);
  expect(ids(rows)).toEqual(['a (gone)', 'b']);
  expect(countWaiting(rows, [item('b')])).toBe(0);
});
