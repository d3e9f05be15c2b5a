import { DESCRIPTION_WORDS_MAX, searchWordsOf, stateOf } from '@alpenglow/domain';

/** What of an ad can be searched for, apart from its description. */
export interface SearchableTexts {
  readonly title: string;
  readonly name: string;
  readonly city: string;
  readonly state: string;
  readonly category: string;
}

const OF_DESCRIPTION = /'([^']+)':[^ ]*C/gu;

/**
 * The words of an ad as the text of a `tsvector`: title and name of weight A, place and category of B, the description's of C. The
 * one position of each weight tells apart where a word stands, so that a row can be edited without the description at hand.
 */
export function adWords(texts: SearchableTexts, descriptionWords: readonly string[]): string {
  const places = new Map<string, string>();
  const add = (words: readonly string[], place: string) => {
    for (const word of words) {
      const known = places.get(word);
      places.set(word, known === undefined ? place : `${known},${place}`);
    }
  };
  add(searchWordsOf(`${texts.title} ${texts.name}`, Infinity), '1A');
  add(
    searchWordsOf(`${texts.city} ${stateOf(texts.state)?.name ?? ''} ${texts.state} ${texts.category}`, Infinity),
    '2B',
  );
  add(descriptionWords, '3C');
  // Words are letters and digits alone, so nothing in them could end the quotes. Joined, the text is in one piece: a rebuild keeps very many of them.
  return Array.from(places, ([word, where]) => `'${word}':${where}`).join(' ');
}

/** The words of a description that can be searched for. */
export function descriptionWordsOf(description: string): readonly string[] {
  return searchWordsOf(description, DESCRIPTION_WORDS_MAX);
}

/** The description's words among those of a row. */
export function descriptionWordsIn(words: string): readonly string[] {
  return [...words.matchAll(OF_DESCRIPTION)].map(([, word]) => word as string);
}

/** Every word of a row. */
export function lexemesOf(words: string): readonly string[] {
  const found: string[] = [];
  // Quotes stand around words and nowhere else. By hand, as a rebuild asks this of every ad there is.
  for (let from = words.indexOf("'"); from !== -1; ) {
    const to = words.indexOf("'", from + 1);
    found.push(words.slice(from + 1, to));
    from = words.indexOf("'", to + 1);
  }
  return found;
}
