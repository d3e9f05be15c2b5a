import { CONTACT_MARK, findContactDetails } from '@alpenglow/domain';
import { fromHtml } from 'hast-util-from-html';
import { toHtml } from 'hast-util-to-html';
import { toText } from 'hast-util-to-text';
import { SKIP, visit } from 'unist-util-visit';
import { BLOCKS_WITH_TEXT } from './allow-list.ts';
import type { Element, Root } from './html-tree.ts';

/** Elements that end the text before them. A contact detail can continue after other elements, such as bold digits. */
const BLOCKS: readonly string[] = [...BLOCKS_WITH_TEXT, 'pre', 'ul', 'ol', 'hr'];
const WEB_LINK = /^(?:https?:\/\/|\/)/iu;

type TextNode = Extract<Element['children'][number], { readonly type: 'text' }>;

/** A text node, or null for a line break. `isAddress` is true for the visible address of an allowed link. */
type Part = { readonly node: TextNode; readonly isAddress: boolean } | null;

/**
 * Returns the HTML of a rendered post with a mark instead of each contact detail in its text. Links stay, but
 * not if their target contains a phone number or a mail address.
 */
export function hideContactDetailsInHtml(html: string): string {
  const tree = fromHtml(html, { fragment: true });
  let hasChanged = replaceContactLinks(tree);
  for (const parts of collectTexts(tree)) if (hideInParts(parts)) hasChanged = true;
  return hasChanged ? toHtml(tree) : html;
}

function replaceContactLinks(tree: Root): boolean {
  let hasChanged = false;
  visit(tree, 'element', (element, index, parent) => {
    if (element.tagName !== 'a' || !parent || index === undefined) return;
    if (!isContactLink(String(element.properties.href ?? ''))) return;
    parent.children[index] = { type: 'text', value: CONTACT_MARK };
    hasChanged = true;
    return SKIP;
  });
  return hasChanged;
}

/** Checks whether the path of a link contains contact details, as in `https://chat.example/17025550142`. */
function isContactLink(href: string): boolean {
  if (!WEB_LINK.test(href)) return true;
  const path = href.replace(/^https?:\/\/[^/?#]*/iu, '');
  return findContactDetails(decode(path).replaceAll(/[/?&=#]+/gu, ' ')).length > 0;
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns the texts of each block. */
function collectTexts(tree: Root): readonly (readonly Part[])[] {
  let parts: Part[] = [];
  const texts = [parts];
  const end = () => texts.push((parts = []));
  const collect = (children: Root['children'], isAddress: boolean) => {
    for (const node of children) {
      if (node.type === 'text') parts.push({ node, isAddress });
      if (node.type !== 'element') continue;
      if (node.tagName === 'br') parts.push(null);
      const isBlock = BLOCKS.includes(node.tagName);
      if (isBlock) end();
      collect(node.children, isAddress || isVisibleAddress(node));
      if (isBlock) end();
    }
  };
  collect(tree.children, false);
  return texts;
}

/** Checks whether an element is a link whose text is its own address. */
function isVisibleAddress(element: Element): boolean {
  if (element.tagName !== 'a') return false;
  const withoutScheme = (address: string) => address.replace(/^https?:\/\//iu, '').replace(/\/$/u, '');
  return withoutScheme(String(element.properties.href ?? '')) === withoutScheme(toText(element));
}

function hideInParts(parts: readonly Part[]): boolean {
  const spans = findContactDetails(parts.map((part) => part?.node.value ?? '\n').join(''));
  let hasChanged = false;
  let offset = 0;
  for (const part of parts) {
    const start = offset;
    offset += part?.node.value.length ?? 1;
    if (!part || part.isAddress) continue;
    const text = part.node.value;
    let result = '';
    let end = 0;
    for (const span of spans) {
      const [from, to] = [Math.max(span.start - start, 0), Math.min(span.end - start, text.length)];
      if (from >= to) continue;
      // A contact detail may extend over several nodes. Only the first one has the mark.
      result += text.slice(end, from) + (span.start >= start ? CONTACT_MARK : '');
      end = to;
      hasChanged = true;
    }
    part.node.value = result + text.slice(end);
  }
  return hasChanged;
}
