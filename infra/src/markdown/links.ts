import { CONTINUE, EXIT, SKIP, visit } from 'unist-util-visit';
import { LINK_RELATIONS, SAFE_HREF, type MarkdownProfile } from './allow-list.ts';
import type { Element, Root } from './tree.ts';

/**
 * Says of every link what it is to search engines, and takes away links that lead where none may and those nobody could see;
 * their words stay. Returns how many links are left.
 */
export function finishLinks(tree: Root, profile: MarkdownProfile): number {
  let links = 0;
  visit(tree, 'element', (element, index, parent) => {
    if (element.tagName !== 'a' || !parent || index === undefined) return CONTINUE;
    const { href } = element.properties;
    if (typeof href !== 'string' || !SAFE_HREF[profile].test(href) || !canBeSeen(element)) {
      parent.children.splice(index, 1, ...element.children);
      return [SKIP, index];
    }
    links += 1;
    element.properties.rel = [...LINK_RELATIONS];
    return SKIP;
  });
  return links;
}

function canBeSeen(link: Element): boolean {
  let seen = false;
  visit(link, (node) => {
    seen =
      (node.type === 'element' && node.tagName === 'img') ||
      (node.type === 'text' && /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(node.value));
    return seen ? EXIT : CONTINUE;
  });
  return seen;
}
