import { CONTACT_MARK } from './contact-marks.ts';

/**
 * Patterns of e-mail addresses, web addresses, handles, and seven digits or more with at most three other characters
 * between two digits. Each part has a maximum length, so that the time grows only linearly with the length of the text:
 * 64 characters before the @ and 63 for each part of a host name, as in DNS.
 */
const POSSIBLE_CONTACTS = [
  /[\w.+-]{1,64}\s?(?:[@＠]|\(at\)|\[at\])\s?[\w-]{1,63}(?:\s?(?:\.|\(dot\)|\[dot\])\s?[\w-]{1,63})+/giu,
  /(?:https?:\/\/|www\.)\S+/giu,
  /\b[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:com|net|org|info|ch|io|me|app|co|us|xxx|link|bio)\b(?:\/\S*)?/giu,
  /\B[@＠][\w.]{2,}/gu,
  /\+?\p{Nd}(?:[\s().\-–—/·_*\p{Cf}\uFE0F\u20E3]{0,3}\p{Nd}){6,}[\uFE0F\u20E3]*/gu,
];

/**
 * Returns a text without everything that may be a contact detail, for the words of a URL. Browsers have no list of
 * telephone numbers, so dates and lists of prices are removed, too.
 */
export function removePossibleContacts(text: string): string {
  return POSSIBLE_CONTACTS.reduce((rest, pattern) => rest.replaceAll(pattern, ' '), text.replaceAll(CONTACT_MARK, ' '));
}
