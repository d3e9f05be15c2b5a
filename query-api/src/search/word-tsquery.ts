import { QUERY_WORDS_MAX, extractSearchWords } from '@alpenglow/domain';

/** The number of words that may be the beginning of a word, and their minimum length. */
const BEGINNINGS_MAX = 3;
const BEGINNING_MIN_characters = 2;

/**
 * Returns the Postgres `tsquery` for a search text. A text matches if it contains all search words. The last three
 * words also match as the beginnings of words. Returns null if the search text contains no words.
 */
export function createWordsTsquery(q: string): string | null {
  const words = extractSearchWords(q, QUERY_WORDS_MAX);
  const beginnings = words.length === 1 ? words : words.filter(isLongEnough).slice(-BEGINNINGS_MAX);
  // The words contain only letters and digits, so they need no escaping.
  const toTerm = (word: string) => `'${word}':${beginnings.includes(word) ? '*' : WHOLE_WORD}`;
  return words.length === 0 ? null : words.map(toTerm).join(' & ');
}

/** All weights. A whole word without weights would have no place for the weight of titles. */
const WHOLE_WORD = 'ABCD';

const isLongEnough = (word: string) => [...word].length >= BEGINNING_MIN_characters;

/**
 * Converts a result of `createWordsTsquery` to a `tsquery` that matches only texts with all search words in the title.
 */
export function createTitleTsquery(wordsQuery: string): string {
  return wordsQuery.replaceAll(':*', ':*A').replaceAll(`:${WHOLE_WORD}`, ':A');
}
