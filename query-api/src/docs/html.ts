const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes a text for HTML outside of attributes. Quotation marks are not escaped, because they have no meaning there.
 */
export function escapeText(text: string): string {
  return text.replaceAll(/[&<>]/gu, (character) => ENTITIES[character] ?? '');
}

/** Escapes a text for HTML, including the values of attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character) => ENTITIES[character] ?? '');
}

/** Converts a text of the OpenAPI document to HTML. Text in backticks becomes `<code>`. */
export function inlineHtml(text: string): string {
  return escapeText(text).replaceAll(/`([^`]+)`/gu, '<code>$1</code>');
}

/**
 * Converts a text with several paragraphs to HTML. The end tags of `p` are omitted, because they are optional in HTML.
 */
export function paragraphsHtml(text: string): string {
  if (text === '') return '';
  return text
    .split('\n\n')
    .map((paragraph) => `<p>${inlineHtml(paragraph)}`)
    .join('');
}

/** Returns the concatenated HTML of all items. */
export function joinHtml<Item>(items: Iterable<Item>, html: (item: Item) => string): string {
  return Array.from(items, html).join('');
}
