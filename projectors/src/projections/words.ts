import { searchWordsOf } from '@alpenglow/domain';

/** Where a word stands, for the order of what is found: A before B before C. */
export type Weight = 'A' | 'B' | 'C';

/** The words of texts as the text of a `tsvector`, each with the weights of the texts it stands in. Empty without a word. */
export function weightedWords(texts: readonly (readonly [weight: Weight, text: string, max: number])[]): string {
  const weights = new Map<string, Set<Weight>>();
  for (const [weight, text, max] of texts) {
    for (const word of searchWordsOf(text, max)) weights.set(word, (weights.get(word) ?? new Set()).add(weight));
  }
  // Words are letters and digits alone, so nothing in them could end the quotes. A position of its own tells the weights of one word apart.
  return [...weights]
    .map(
      ([word, of]) =>
        `'${word}':${[...of]
          .sort()
          .map((weight, index) => `${index + 1}${weight}`)
          .join(',')}`,
    )
    .join(' ');
}
