/** The beginning of a text on one line, `max` characters at most before the ellipsis, cut between words. */
export function beginningOf(text: string, max: number): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  if (line.length <= max) return line;
  const cut = line.slice(0, max);
  const end = cut.lastIndexOf(' ');
  return `${(end > max / 2 ? cut.slice(0, end) : cut).replace(/[\s,;:.–-]+$/u, '').toWellFormed()}…`;
}
