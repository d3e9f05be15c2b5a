import { SKIP, visit } from 'unist-util-visit';
import { UPLOADED_PHOTO, type MarkdownProfile } from './allow-list.ts';
import type { Element, Root } from './html-tree.ts';

const HEADING = /^h([1-6])$/u;

/**
 * The heading levels in articles. The page title is h1, so articles start at h2. The style sheet supports levels up to
 * h4.
 */
const HIGHEST_HEADING = 2;
const LOWEST_HEADING = 4;

/**
 * Replaces HTML elements that are not allowed in this kind of text with similar allowed elements. A picture that is not
 * allowed is replaced with its alternative text.
 */
export function adaptElements(tree: Root, profile: MarkdownProfile): void {
  visit(tree, 'element', (element, index, parent) => {
    if (!parent || index === undefined) return;
    const [, level] = HEADING.exec(element.tagName) ?? [];
    if (level) adaptHeading(element, Number(level), profile);
    if (element.tagName === 's') element.tagName = 'del';
    if (element.tagName !== 'img' || isAllowedImage(element, profile)) return;
    const { alt } = element.properties;
    parent.children.splice(index, 1, { type: 'text', value: typeof alt === 'string' ? alt : '' });
    return [SKIP, index];
  });
}

function adaptHeading(heading: Element, level: number, profile: MarkdownProfile): void {
  if (profile === 'article') {
    heading.tagName = `h${Math.min(Math.max(level, HIGHEST_HEADING), LOWEST_HEADING)}`;
    return;
  }
  heading.tagName = 'p';
  heading.children = [{ type: 'element', tagName: 'strong', properties: {}, children: heading.children }];
}

function isAllowedImage(image: Element, profile: MarkdownProfile): boolean {
  const { src } = image.properties;
  return profile === 'article' && typeof src === 'string' && UPLOADED_PHOTO.test(src);
}
