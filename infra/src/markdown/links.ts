import { isVisibleText } from '@alpenglow/domain';
import { CONTINUE, EXIT, SKIP, visit } from 'unist-util-visit';
import { LINK_RELATIONS, SAFE_HREF, type MarkdownProfile } from './allow-list.ts';
import type { Element, Root } from './html-tree.ts';

/**
 * Sets the `rel` attribute of every link. Replaces links without visible content, and links with a forbidden target,
 * with their content. Returns the number of remaining links.
 */
export function cleanLinks(tree: Root, profile: MarkdownProfile): number {
  let links = 0;
  visit(tree, 'element', (element, index, parent) => {
    if (element.tagName !== 'a' || !parent || index === undefined) return CONTINUE;
    const { href } = element.properties;
    if (typeof href !== 'string' || !SAFE_HREF[profile].test(href) || !isVisible(element)) {
      parent.children.splice(index, 1, ...element.children);
      return [SKIP, index];
    }
    links += 1;
    element.properties.rel = [...LINK_RELATIONS];
    return SKIP;
  });
  return links;
}

function isVisible(link: Element): boolean {
  let hasVisibleContent = false;
  visit(link, (node) => {
    hasVisibleContent =
      (node.type === 'element' && node.tagName === 'img') || (node.type === 'text' && isVisibleText(node.value));
    return hasVisibleContent ? EXIT : CONTINUE;
  });
  return hasVisibleContent;
}
