import { expect, test } from 'vitest';
import { toPageSearch } from '../server/pages/page-search.ts';

const PRELOAD = {
  '/community': ['/api/community/threads{?sort,cursor}', '/api/community/locations', '/api/search{?!q}'],
};

test.each([
  ['', ''],
  ['?x=1', ''],
  ['?sort=new&x=1&cursor=abc', '?sort=new&cursor=abc'],
  ['?q=a+b&q=c', '?q=a+b'],
  ['?new=1&utm_source=mail&show=following', '?new=1&show=following'],
  ['?place=Las%20Vegas%2C%20Nevada', '?place=Las+Vegas%2C+Nevada'],
  ['?sort', '?sort='],
])('the page of %j is rendered and cached with the query %j', (search, expected) => {
  expect(toPageSearch(search, PRELOAD)).toBe(expected);
});

test('a page of the shell keeps only parameters that the server reads', () => {
  expect(toPageSearch('?x=1&place=Reno&photo=true', {})).toBe('?place=Reno&photo=true');
});

test('the query of a remote that declares no data stays unchanged', () => {
  expect(toPageSearch('?x=1&place=Reno', undefined)).toBe('?x=1&place=Reno');
});
