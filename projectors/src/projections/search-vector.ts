import { extractSearchWords } from '@alpenglow/domain';

/**
 * The weight of a text in the search. Results come first if a text of weight A contains a searched word. Results for
 * weight B and then for weight C follow.
 */
export type SearchWeight = 'A' | 'B' | 'C';

/**
 * Returns the words of texts in the text format of the Postgres type `tsvector`. Each word has the weights of all texts
 * in which it occurs. `max` is the maximum number of words of a text. The result is empty if there are no words.
 */
export function formatSearchVector(
  texts: readonly (readonly [weight: SearchWeight, text: string, max: number])[],
): string {
  const weights = new Map<string, Set<SearchWeight>>();
  for (const [weight, text, max] of texts) {
    for (const word of extractSearchWords(text, max)) weights.set(word, (weights.get(word) ?? new Set()).add(weight));
  }
  // Words consist of letters and digits only, so they need no escaping. Postgres stores one weight per position of a
  // word, so each weight gets a separate position.
  return [...weights]
    .map(
      ([word, weightsOfWord]) =>
        `'${word}':${[...weightsOfWord]
          .sort()
          .map((weight, index) => `${index + 1}${weight}`)
          .join(',')}`,
    )
    .join(' ');
}
