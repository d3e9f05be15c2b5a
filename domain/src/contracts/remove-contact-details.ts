/**
 * Patterns of e-mail addresses, web addresses, handles and phone numbers. A phone number has at least seven digits,
 * with at most three other characters between two digits. Each part has a maximum length, so that the time grows only
 * linearly with the length of the text: 64 characters before the @ and 63 for each part of a host name, as in DNS.
 */
const CONTACT_PATTERNS = [
  /[\w.+-]{1,64}\s?(?:[@＠]|\(at\)|\[at\])\s?[\w-]{1,63}(?:\s?(?:\.|\(dot\)|\[dot\])\s?[\w-]{1,63})+/giu,
  /(?:https?:\/\/|www\.)\S+/giu,
  /\b[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:com|net|org|info|ch|io|me|app|co|us|xxx|link|bio)\b(?:\/\S*)?/giu,
  /(?<![\w@])[@＠][\w.]{2,}/gu,
  /\+?\p{Nd}(?:[\s().\-–—/·_*\p{Cf}\uFE0F\u20E3]{0,3}\p{Nd}){6,}[\uFE0F\u20E3]*/gu,
];

/** Returns a text without contact details. A text without contact details stays unchanged, with its line breaks. */
export function hideContactDetails(text: string): string {
  return CONTACT_PATTERNS.reduce((rest, pattern) => rest.replaceAll(pattern, ' '), text);
}

/**
 * Returns a text on one line without contact details. Search engines store the texts of pages, so these must not
 * contain contact details (F-23).
 */
export function removeContactDetails(text: string): string {
  return hideContactDetails(text).replaceAll(/\s+/gu, ' ').trim();
}
