/** Splits texts into search words. Indexed texts and queries use the same rules. */

/** Maximum length of a search word. Longer words are cut in the index and in queries, so that they still match. */
export const SEARCH_WORD_MAX = 32;
/** Maximum number of different words that are indexed per description. */
export const DESCRIPTION_WORDS_MAX = 256;
/**
 * The prefix of an index entry for a word of a title or a name. Words contain only letters and digits, so no word
 * begins with it.
 */
export const TITLE_WORD = '.';
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
    words.add(cutWord(word));
    if (words.size === max) break;
  }
  return [...words];
}

/**
 * Returns the first `max` different words of a text, each with the number of times that it occurs in the text. The
 * words are those of `extractSearchWords`. `length` is the number of all words of the text.
 */
export function countSearchWords(
  text: string,
  max: number,
): { readonly counts: ReadonlyMap<string, number>; readonly length: number } {
  const counts = new Map<string, number>();
  const all = splitWords(text);
  for (const whole of all) {
    const word = cutWord(whole);
    const count = counts.get(word);
    if (count !== undefined || counts.size < max) counts.set(word, (count ?? 0) + 1);
  }
  return { counts, length: all.length };
}

function cutWord(word: string): string {
  return word.length <= SEARCH_WORD_MAX ? word : [...word].slice(0, SEARCH_WORD_MAX).join('');
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
