/** Returns a `like` pattern that matches texts which contain the given text. */
export function createLikePattern(words: string): string {
  return `%${words.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`;
}
