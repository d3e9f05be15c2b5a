import { escapeHtml } from '@alpenglow/infra';

/** Converts a text of the OpenAPI document to HTML. Text in backticks becomes `<code>`. */
export function inlineHtml(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/gu, '<code>$1</code>');
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
