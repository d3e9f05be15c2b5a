/** The letters that are inserted or replaced. A missing or wrong letter of another script is not corrected here. */
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const NUMBER = /^\d+$/u;

/**
 * Returns the spellings that differ from a word by one typing error: a letter from a to z is missing or wrong, a letter
 * was added, or two adjacent letters are swapped. A number has none, because another number has another meaning.
 */
export function nearbySpellings(word: string): readonly string[] {
  if (NUMBER.test(word)) return [];
  const letters = [...word];
  const spellings = new Set<string>();
  for (let at = 0; at <= letters.length; at += 1) {
    const before = letters.slice(0, at).join('');
    const after = letters.slice(at).join('');
    for (const letter of LETTERS) spellings.add(before + letter + after);
    const current = letters[at];
    if (current === undefined) continue;
    const rest = letters.slice(at + 1);
    const next = rest[0];
    if (next !== undefined) spellings.add([before, next, current, ...rest.slice(1)].join(''));
    spellings.add(before + rest.join(''));
    for (const letter of LETTERS) spellings.add(before + letter + rest.join(''));
  }
  spellings.delete(word);
  spellings.delete('');
  return [...spellings];
}
