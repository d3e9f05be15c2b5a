/** The beginning of a text, `max` characters at most, cut between words. */
export function beginningOf(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max);
  const end = cut.lastIndexOf(' ');
  return `${(end > max / 2 ? cut.slice(0, end) : cut).replace(/[\s,;:.–-]+$/u, '').toWellFormed()}…`;
}
