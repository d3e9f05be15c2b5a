/** Text into HTML. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character) => ENTITIES[character] ?? '');
}

/** Text with `code` in backticks, as the API document has it. */
export function prose(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/gu, '<code>$1</code>');
}

/** Such text in paragraphs. */
export function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => `<p>${prose(paragraph)}</p>`)
    .join('');
}

/** The HTML of each item, one after the other. */
export function each<Item>(items: Iterable<Item>, html: (item: Item) => string): string {
  return Array.from(items, html).join('');
}
