/** Splits texts into search words. Indexed texts and queries use the same rules. */

/** Maximum length of a search word. Longer words are cut in the index and in queries, so that they still match. */
export const SEARCH_WORD_MAX = 32;
/** Maximum number of different words that are indexed per description. */
export const DESCRIPTION_WORDS_MAX = 256;
/** Maximum number of words that are used per query. */
export const QUERY_WORDS_MAX = 8;

const WORDS = /[\p{L}\p{N}]+/gu;
/**
 * Matches texts that consist only of ASCII characters, so that they contain no accents to remove. Most texts match.
 * Skipping the removal saves much time in a rebuild of a million ads.
 */
const PLAIN_TEXT = /^[ -~\s]*$/u;
const PLAIN_WORDS = /[a-z\d]+/gu;

/**
 * Returns the different words of a text in order, at most `max`. A word consists of letters and digits of any script.
 * The words are in lower case and without accents (`Ünhurried Çafé` → `unhurried`, `cafe`).
 */
export function extractSearchWords(text: string, max: number): readonly string[] {
  const words = new Set<string>();
  for (const word of splitWords(text)) {
    words.add(word.length <= SEARCH_WORD_MAX ? word : [...word].slice(0, SEARCH_WORD_MAX).join(''));
    if (words.size === max) break;
  }
  return [...words];
}

/**
 * Returns all words of a text in order, without cutting long ones. A word is a run of letters and digits, in
 * lower case and without accents.
 */
export function splitWords(text: string): readonly string[] {
  if (PLAIN_TEXT.test(text)) return text.toLowerCase().match(PLAIN_WORDS) ?? [];
  // Both lowercasing and decomposing can create characters with accents. The second decomposition separates these
  // accents from their letters, so that they are removed too.
  const plain = text.normalize('NFKD').toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');
  return plain.match(WORDS) ?? [];
}
