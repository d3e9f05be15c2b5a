/**
 * Patterns of e-mail addresses, web addresses, handles and phone numbers. A phone number has at least seven digits,
 * with at most three other characters between two digits.
 */
const CONTACT_PATTERNS = [
  /[\w.+-]+\s?(?:[@＠]|\(at\)|\[at\])\s?[\w-]+(?:\s?(?:\.|\(dot\)|\[dot\])\s?[\w-]+)+/giu,
  /(?:https?:\/\/|www\.)\S+/giu,
  /\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|info|ch|io|me|app|co|us|xxx|link|bio)\b(?:\/\S*)?/giu,
  /(?<![\w@])[@＠][\w.]{2,}/gu,
  /\+?\p{Nd}(?:[\s().\-–—/·_*\p{Cf}\uFE0F\u20E3]{0,3}\p{Nd}){6,}[\uFE0F\u20E3]*/gu,
];

/**
 * Returns a text on one line without contact details. Search engines store the texts of pages, so these must not
 * contain contact details (F-23).
 */
export function removeContactDetails(text: string): string {
  const cleaned = CONTACT_PATTERNS.reduce((rest, pattern) => rest.replaceAll(pattern, ' '), text);
  return cleaned.replaceAll(/\s+/gu, ' ').trim();
}
