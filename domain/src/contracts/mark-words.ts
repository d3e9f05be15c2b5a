import { splitWords } from '../listing/search-words.ts';

/** A part of a text. `isMatch` is true if the part is the beginning of a word that a search has found. */
export interface TextPart {
  readonly text: string;
  readonly isMatch: boolean;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * Divides a text into parts that match a search and parts that do not. Together, the parts are the whole
 * text. A word matches if it begins with one of `beginnings`. Case and accents are ignored.
 * @param beginnings search words in lower case and without accents, as `splitWords` returns them
 */
export function markWords(text: string, beginnings: readonly string[]): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  const add = (to: number, isMatch: boolean) => {
    if (to > end) parts.push({ text: text.slice(end, to), isMatch });
    end = to;
  };
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const length = matchLength(word, beginnings);
    if (length === 0) continue;
    add(index, false);
    add(index + length, true);
  }
  add(text.length, false);
  return parts;
}

/** Returns the index of the first word that begins with one of `beginnings`. Returns null if there is none. */
export function findMarkedWord(text: string, beginnings: readonly string[]): number | null {
  for (const { 0: word, index } of text.matchAll(WORD)) if (matchLength(word, beginnings) > 0) return index;
  return null;
}

/** Returns the number of UTF-16 code units at the start of a word that match. Returns 0 if the word does not match. */
function matchLength(word: string, beginnings: readonly string[]): number {
  const plainWords = splitWords(word);
  const lengths = beginnings
    .filter((beginning) => beginning !== '' && plainWords.some((plain) => plain.startsWith(beginning)))
    .map(({ length }) => length);
  if (lengths.length === 0) return 0;
  // If removing the accents changes the number of characters, the positions differ, and the whole word is marked.
  return plainWords.length === 1 && plainWords[0]?.length === word.length ? Math.max(...lengths) : word.length;
}
