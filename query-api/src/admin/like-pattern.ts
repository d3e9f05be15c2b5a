/** Returns a pattern for the SQL operator `like`. The pattern matches all texts that contain the given text. */
export function createLikePattern(words: string): string {
  return `%${words.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`;
}
