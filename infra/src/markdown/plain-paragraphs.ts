import type { Element, ElementContent, Root } from './html-tree.ts';

/**
 * Converts plain text to an HTML tree. An empty line separates paragraphs, and any other newline becomes a line break.
 */
export function createPlainParagraphs(text: string): Root {
  const paragraphs = text.split(/\n[\t ]*\n\s*/u).filter((paragraph) => paragraph.trim() !== '');
  return { type: 'root', children: paragraphs.map(createParagraph) };
}

function createParagraph(paragraph: string): Element {
  const lines = paragraph.trim().split('\n');
  const children = lines.flatMap((line, index): ElementContent[] => [
    ...(index > 0 ? [{ type: 'element' as const, tagName: 'br', properties: {}, children: [] }] : []),
    { type: 'text', value: line },
  ]);
  return { type: 'element', tagName: 'p', properties: {}, children };
}
