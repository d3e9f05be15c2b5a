/** Replaces a contact detail in a public text. Pages show it with a tooltip (`ContactMarks` in `ui`). */
export const CONTACT_MARK = '[•••]';

/** Returns a text without these marks, for a title outside of the page. */
export const removeContactMarks = (text: string): string =>
  text.replaceAll(CONTACT_MARK, ' ').replaceAll(/\s+/gu, ' ').trim();
