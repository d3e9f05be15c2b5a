/**
 * Returns a text on one line. If the text is longer than `max` characters, only its beginning and an ellipsis are
 * returned. The text is cut between words if possible.
 */
export function truncateText(text: string, max: number): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  if (line.length <= max) return line;
  const cut = line.slice(0, max);
  const end = cut.lastIndexOf(' ');
  return `${(end > max / 2 ? cut.slice(0, end) : cut).replace(/[\s,;:.–-]+$/u, '').toWellFormed()}…`;
}
