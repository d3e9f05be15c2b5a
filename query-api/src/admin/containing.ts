/** The `like` pattern of texts that hold these words as they stand. */
export function containing(words: string): string {
  return `%${words.replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`;
}
