import { expect, test } from 'vitest';
import { createTitleTsquery, createWordsTsquery } from '../src/search/word-tsquery.ts';

/** Words that match as beginnings, which cost the most. */

const beginningsOf = (query: string | null) => [...(query ?? '').matchAll(/'([^']+)':\*/gu)].map(([, word]) => word);

test('only the last three words of at least two characters match as beginnings', () => {
  expect(beginningsOf(createWordsTsquery('calm kind tall quiet'))).toEqual(['kind', 'tall', 'quiet']);
  expect(beginningsOf(createWordsTsquery('a e i d s t m w'))).toEqual([]);
  expect(beginningsOf(createWordsTsquery('ca e ki d ta'))).toEqual(['ca', 'ki', 'ta']);
});

test('a single word matches as a beginning, whatever its length', () => {
  expect(beginningsOf(createWordsTsquery('a'))).toEqual(['a']);
});

test('at most eight different words are searched', () => {
  const words = createWordsTsquery('one two three four five six seven eight nine ten one')?.split(' & ') ?? [];
  expect(words).toHaveLength(8);
});

test('a search in titles has the weight of titles for every word', () => {
  const title = createTitleTsquery(createWordsTsquery('calm kind tall quiet') ?? '');
  expect(title.match(/:\*?A(?= |$)/gu)).toHaveLength(4);
});
