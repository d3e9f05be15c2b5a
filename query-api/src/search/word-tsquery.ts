import { QUERY_WORDS_MAX, extractSearchWords } from '@alpenglow/domain';

/**
 * Returns the `tsquery` for texts that contain every search word, or a word that starts with it. Returns null if the
 * search contains no words.
 */
export function createWordsTsquery(q: string): string | null {
  const words = extractSearchWords(q, QUERY_WORDS_MAX);
  // The words contain only letters and digits, so they need no escaping.
  return words.length === 0 ? null : words.map((word) => `'${word}':*`).join(' & ');
}

/** Converts a result of `createWordsTsquery` to the `tsquery` for texts whose title contains all words. */
export function createTitleTsquery(wordsQuery: string): string {
  return wordsQuery.replaceAll(':*', ':*A');
}
