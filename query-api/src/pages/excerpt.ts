/** Maximum length of an excerpt. Search engines and link previews show about this length. */
export const EXCERPT_MAX = 155;
