import { QUERY_WORDS_MAX, searchWordsOf } from '@alpenglow/domain';

/** The `tsquery` of texts that have all words of a search, each whole or as a beginning; null where it has none. */
export function wordsQueryOf(q: string): string | null {
  const words = searchWordsOf(q, QUERY_WORDS_MAX);
  // Words are letters and digits alone, so nothing in them could mean anything to Postgres.
  return words.length === 0 ? null : words.map((word) => `'${word}':*`).join(' & ');
}

/** The same of texts that have all of them in their title. */
export function titleQueryOf(wordsQuery: string): string {
  return wordsQuery.replaceAll(':*', ':*A');
}
