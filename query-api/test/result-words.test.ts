import { expect, test } from 'vitest';
import { createResultWords } from '../src/ads/result-words.ts';
import type { Term } from '../src/ads/search-terms.ts';

const NUMBERS = { total: 1_000, inScope: 1_000, inPlace: 1_000 };
const word = (typed: string, adCount: number): Term => ({
  typed,
  corrections: [],
  words: [typed],
  isPrefix: false,
  adCount,
  titleCount: adCount,
  highlighted: [typed],
});
const prefix: Term = { ...word('a', Infinity), isPrefix: true };

test.each([
  ['two words', [word('opera', 500), word('wine', 100)], { isFullySigned: true, signedShare: 0.1 }],
  ['a word and a prefix', [word('opera', 500), prefix], { isFullySigned: false, signedShare: 0.5 }],
  ['a prefix', [prefix], { isFullySigned: false, signedShare: 1 }],
])('signatures check the words that are no prefix: %s', (_what, terms, expected) => {
  expect(createResultWords(terms, 'all', NUMBERS)).toMatchObject(expected);
});
