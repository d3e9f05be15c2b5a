/** E-mail addresses, web addresses, handles, and anything with so many digits that it could be dialled. */
const REACHABLE = [
  /[\w.+-]+\s?(?:[@＠]|\(at\)|\[at\])\s?[\w-]+(?:\s?(?:\.|\(dot\)|\[dot\])\s?[\w-]+)+/giu,
  /(?:https?:\/\/|www\.)\S+/giu,
  /\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|info|ch|io|me|app|co|us|xxx|link|bio)\b(?:\/\S*)?/giu,
  /(?<![\w@])[@＠][\w.]{2,}/gu,
  /\+?\p{Nd}(?:[\s().\-–—/·_*]{0,3}\p{Nd}){6,}/gu,
];

/** A text on one line without whatever looks like a way to reach somebody: search engines keep what they find (design, trust and privacy). */
export function withoutContact(text: string): string {
  const cleaned = REACHABLE.reduce((rest, pattern) => rest.replaceAll(pattern, ' '), text);
  return cleaned.replaceAll(/\s+/gu, ' ').trim();
}

/** The beginning of a text, `max` characters at most, cut between words. */
export function beginningOf(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max);
  const end = cut.lastIndexOf(' ');
  return `${(end > max / 2 ? cut.slice(0, end) : cut).replace(/[\s,;:.–-]+$/u, '').toWellFormed()}…`;
}
