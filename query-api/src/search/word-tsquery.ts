import { QUERY_WORDS_MAX, extractSearchWords } from '@alpenglow/domain';

/**
 * Returns the Postgres `tsquery` for a search text. A text matches if it contains all search words, or words that start
 * with them. Returns null if the search text contains no words.
 */
export function createWordsTsquery(q: string): string | null {
  const words = extractSearchWords(q, QUERY_WORDS_MAX);
  // The words contain only letters and digits, so they need no escaping.
  return words.length === 0 ? null : words.map((word) => `'${word}':*`).join(' & ');
}

/**
 * Converts a result of `createWordsTsquery` to a `tsquery` that matches only texts with all search words in the title.
 */
export function createTitleTsquery(wordsQuery: string): string {
  return wordsQuery.replaceAll(':*', ':*A');
}
