import {
  DESCRIPTION_WORDS_MAX,
  TITLE_WORD,
  countSearchWords,
  extractSearchWords,
  findState,
  getOtherCityWords,
  hideContactDetails,
} from '@alpenglow/domain';

/** The searchable texts of an ad, except its description. */
type SearchableTexts = Readonly<Record<'title' | 'name' | 'city' | 'state' | 'category', string>>;

/**
 * The words of a description. The value of a word is its positions in the text format of `tsvector`, which show how
 * important the word is in the description.
 */
export type DescriptionWords = ReadonlyMap<string, string>;

/**
 * The positions of a word show which texts contain it. The first position of a description is 3. The weights of all
 * positions add up to the importance of the word in the ad (record 0081).
 */
const IN_TITLE = '1A';
const IN_PLACE = '2';

/**
 * The positions of a description's word by its importance, the least important first. Each entry applies to values of
 * `computeImportance` below `below`. Weight D is the lowest weight and has no letter in the text format.
 */
const DESCRIPTION_POSITIONS = [
  { below: 0.74, positions: '3' },
  { below: 0.91, positions: '3,4' },
  { below: 1.11, positions: '3C' },
  { below: 1.36, positions: '3C,4C' },
  { below: 1.67, positions: '3B' },
  { below: 1.94, positions: '3B,4B' },
  { below: Infinity, positions: '3B,4B,5B' },
] as const;

/** The usual number of words of a description. It is a constant, so that a rebuild creates the same rows. */
const USUAL_LENGTH_words = 60;
/** The parameters k1 and b of the BM25 formula, with their usual values. */
const BM25_K1 = 1.2;
const BM25_B = 0.75;

const WORD = /'([^']+)'(?::([\dABC,]+))?/gu;
const DESCRIPTION_PART = /(?:^|,)(3.*)$/u;

/**
 * Returns the searchable words of an ad in the text format of the Postgres type `tsvector`. The positions and weights
 * of a word show which texts it comes from and how important it is. An edit that does not change the description can
 * therefore take the words of the description from the stored row. Each word of the title and the name is also added
 * with the prefix `TITLE_WORD`, so that the index of words can find the ads with this word in the title.
 */
export function formatAdSearchVector(texts: SearchableTexts, descriptionWords: DescriptionWords): string {
  const positionsByWord = new Map<string, string>();
  const add = (word: string, positions: string) => {
    const known = positionsByWord.get(word);
    positionsByWord.set(word, known === undefined ? positions : `${known},${positions}`);
  };
  const titleWords = extractSearchWords(
    `${hideContactDetails(texts.title)} ${hideContactDetails(texts.name)}`,
    Infinity,
  );
  for (const word of titleWords) add(word, IN_TITLE);
  const stateName = findState(texts.state)?.name ?? '';
  const placeText = `${texts.city} ${getOtherCityWords(texts.city)} ${stateName} ${texts.state} ${texts.category}`;
  for (const word of extractSearchWords(placeText, Infinity)) add(word, IN_PLACE);
  for (const [word, positions] of descriptionWords) add(word, positions);
  const entries = Array.from(positionsByWord, ([word, positions]) => `'${word}':${positions}`);
  for (const word of titleWords) entries.push(`'${TITLE_WORD}${word}'`);
  // Words consist of letters and digits only, so they need no escaping. `join` creates one contiguous string, which
  // needs less memory than a concatenation. This matters because a rebuild caches many of these strings.
  return entries.join(' ');
}

/** Returns the searchable words of a description. No search finds an ad by contact details in its texts. */
export function extractDescriptionWords(description: string): DescriptionWords {
  const { counts, length } = countSearchWords(hideContactDetails(description), DESCRIPTION_WORDS_MAX);
  const words = new Map<string, string>();
  for (const [word, count] of counts) {
    const importance = computeImportance(count, length);
    const { positions } = DESCRIPTION_POSITIONS.find(({ below }) => importance < below) ?? DESCRIPTION_POSITIONS[0];
    words.set(word, positions);
  }
  return words;
}

/** Returns the words of the description from the `words` column of an ad's row. */
export function parseDescriptionWords(words: string): DescriptionWords {
  const found = new Map<string, string>();
  for (const [, word = '', positions = ''] of words.matchAll(WORD)) {
    const part = DESCRIPTION_PART.exec(positions)?.[1];
    if (part !== undefined) found.set(word, part);
  }
  return found;
}

/**
 * Returns all entries from the `words` column of an ad's row. The words of the title and the name occur twice, the
 * second time with the prefix `TITLE_WORD`.
 */
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

/**
 * Returns the importance of a word that occurs `count` times in a text of `length` words. This is the BM25 formula for
 * a single document, without the frequency of the word in other documents.
 */
function computeImportance(count: number, length: number): number {
  const lengthFactor = 1 - BM25_B + (BM25_B * length) / USUAL_LENGTH_words;
  return (count * (BM25_K1 + 1)) / (count + BM25_K1 * lengthFactor);
}
