import { DESCRIPTION_WORDS_MAX, extractSearchWords, findState } from '@alpenglow/domain';

/** The searchable texts of an ad, except its description. */
type SearchableTexts = Readonly<Record<'title' | 'name' | 'city' | 'state' | 'category', string>>;

const DESCRIPTION_WORD = /'([^']+)':[^ ]*C/gu;

/**
 * Returns the searchable words of an ad in the text format of the Postgres type `tsvector`. Words of the title and the
 * name have weight A, words of the place and the category have weight B, and words of the description have weight C.
 * The weight shows which text a word comes from. An edit that does not change the description can therefore take the
 * words of the description from the stored row.
 */
export function formatAdSearchVector(texts: SearchableTexts, descriptionWords: readonly string[]): string {
  const positionsByWord = new Map<string, string>();
  const add = (words: readonly string[], position: string) => {
    for (const word of words) {
      const positions = positionsByWord.get(word);
      positionsByWord.set(word, positions === undefined ? position : `${positions},${position}`);
    }
  };
  add(extractSearchWords(`${texts.title} ${texts.name}`, Infinity), '1A');
  add(
    extractSearchWords(
      `${texts.city} ${findState(texts.state)?.name ?? ''} ${texts.state} ${texts.category}`,
      Infinity,
    ),
    '2B',
  );
  add(descriptionWords, '3C');
  // Words consist of letters and digits only, so they need no escaping. `join` creates one contiguous string, which
  // needs less memory than a concatenation. This matters because a rebuild caches many of these strings.
  return Array.from(positionsByWord, ([word, positions]) => `'${word}':${positions}`).join(' ');
}

/** Returns the searchable words of a description. */
export function extractDescriptionWords(description: string): readonly string[] {
  return extractSearchWords(description, DESCRIPTION_WORDS_MAX);
}

/** Returns the words of the description from the `words` column of an ad's row. */
export function parseDescriptionWords(words: string): readonly string[] {
  return [...words.matchAll(DESCRIPTION_WORD)].map(([, word]) => word as string);
}

/** Returns all words from the `words` column of an ad's row. */
export function parseLexemes(words: string): readonly string[] {
  const lexemes: string[] = [];
  // In the text format of `tsvector`, only words are in quotes. The loop is faster than a regular expression. This
  // matters because a rebuild runs the loop for every ad.
  for (let from = words.indexOf("'"); from !== -1; ) {
    const to = words.indexOf("'", from + 1);
    lexemes.push(words.slice(from + 1, to));
    from = words.indexOf("'", to + 1);
  }
  return lexemes;
}
