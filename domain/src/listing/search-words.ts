/** How texts become the words a search finds: the same for what is written and for what is asked. */

/** Longer words are cut, so that what is asked is cut alike and still matches. */
export const SEARCH_WORD_MAX = 32;
/** Of the words of an ad's description, the first so many different ones can be found. */
export const DESCRIPTION_WORDS_MAX = 256;
/** Of the words of a search, the first so many count. */
export const QUERY_WORDS_MAX = 8;

const WORDS = /[\p{L}\p{N}]+/gu;
/** Most texts need nothing but to be lower-cased, and knowing so makes a rebuild of a million ads a good deal shorter. */
const PLAIN_TEXT = /^[ -~\s]*$/u;
const PLAIN_WORDS = /[a-z\d]+/gu;

/**
 * The different words of a text in their order, at most `max`: runs of letters and digits of any script, lower-case and without
 * accents (`Ünhurried Çafé` → `unhurried`, `cafe`).
 */
export function searchWordsOf(text: string, max: number): readonly string[] {
  const words = new Set<string>();
  for (const word of wordsIn(text)) {
    words.add(word.length <= SEARCH_WORD_MAX ? word : [...word].slice(0, SEARCH_WORD_MAX).join(''));
    if (words.size === max) break;
  }
  return [...words];
}

/** The words of a text in their order, as they are searched for but uncut: runs of letters and digits, lower-case and without accents. */
export function wordsIn(text: string): readonly string[] {
  if (PLAIN_TEXT.test(text)) return text.toLowerCase().match(PLAIN_WORDS) ?? [];
  // Lower-casing first and decomposing after leaves no mark behind that one of the two brings forth.
  const plain = text.normalize('NFKD').toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return plain.match(WORDS) ?? [];
}
