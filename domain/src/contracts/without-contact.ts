/** E-mail addresses, web addresses, handles, and anything with so many digits that it could be dialled, whatever invisible stands between them. */
const REACHABLE = [
  /[\w.+-]+\s?(?:[@＠]|\(at\)|\[at\])\s?[\w-]+(?:\s?(?:\.|\(dot\)|\[dot\])\s?[\w-]+)+/giu,
  /(?:https?:\/\/|www\.)\S+/giu,
  /\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|info|ch|io|me|app|co|us|xxx|link|bio)\b(?:\/\S*)?/giu,
  /(?<![\w@])[@＠][\w.]{2,}/gu,
  /\+?\p{Nd}(?:[\s().\-–—/·_*\p{Cf}\uFE0F\u20E3]{0,3}\p{Nd}){6,}[\uFE0F\u20E3]*/gu,
];

/** A text on one line without whatever looks like a way to reach somebody: search engines keep what they find (design, trust and privacy). */
export function withoutContact(text: string): string {
  const cleaned = REACHABLE.reduce((rest, pattern) => rest.replaceAll(pattern, ' '), text);
  return cleaned.replaceAll(/\s+/gu, ' ').trim();
}
