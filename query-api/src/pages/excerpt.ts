/**
 * The maximum number of characters of an excerpt. Search engines and link previews show about this number of
 * characters.
 */
export const EXCERPT_MAX = 155;
