import type { Element, ElementContent, Root } from './tree.ts';

/** A text that is shown as it stands: an empty line parts paragraphs, a newline is a line break. */
export function plainParagraphs(text: string): Root {
  const paragraphs = text.split(/\n[\t ]*\n\s*/u).filter((paragraph) => paragraph.trim() !== '');
  return { type: 'root', children: paragraphs.map(paragraphOf) };
}

function paragraphOf(paragraph: string): Element {
  const lines = paragraph.trim().split('\n');
  const children = lines.flatMap((line, index): ElementContent[] => [
    ...(index > 0 ? [{ type: 'element' as const, tagName: 'br', properties: {}, children: [] }] : []),
    { type: 'text', value: line },
  ]);
  return { type: 'element', tagName: 'p', properties: {}, children };
}
