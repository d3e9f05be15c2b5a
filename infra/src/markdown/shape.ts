import { SKIP, visit } from 'unist-util-visit';
import { OWN_PHOTO, type MarkdownProfile } from './allow-list.ts';
import type { Element, Root } from './tree.ts';

const HEADING = /^h([1-6])$/u;

/** Below the page's own title, and never deeper than the style sheet has a size for. */
const HIGHEST_HEADING = 2;
const LOWEST_HEADING = 4;

/**
 * Turns what Markdown has and a profile has not into what it has. A picture that is left out leaves its words
 * behind.
 */
export function shape(tree: Root, profile: MarkdownProfile): void {
  visit(tree, 'element', (element, index, parent) => {
    if (!parent || index === undefined) return;
    const [, level] = HEADING.exec(element.tagName) ?? [];
    if (level) shapeHeading(element, Number(level), profile);
    if (element.tagName === 's') element.tagName = 'del';
    if (element.tagName !== 'img' || isShown(element, profile)) return;
    const { alt } = element.properties;
    parent.children.splice(index, 1, { type: 'text', value: typeof alt === 'string' ? alt : '' });
    return [SKIP, index];
  });
}

function shapeHeading(heading: Element, level: number, profile: MarkdownProfile): void {
  if (profile === 'article') {
    heading.tagName = `h${Math.min(Math.max(level, HIGHEST_HEADING), LOWEST_HEADING)}`;
    return;
  }
  heading.tagName = 'p';
  heading.children = [{ type: 'element', tagName: 'strong', properties: {}, children: heading.children }];
}

function isShown(image: Element, profile: MarkdownProfile): boolean {
  const { src } = image.properties;
  return profile === 'article' && typeof src === 'string' && OWN_PHOTO.test(src);
}
