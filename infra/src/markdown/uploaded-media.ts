import { MEDIA_ID } from '@alpenglow/domain';
import { fromHtml } from 'hast-util-from-html';
import { toHtml } from 'hast-util-to-html';
import { SKIP, visit } from 'unist-util-visit';
import type { Element } from './html-tree.ts';

const ID = MEDIA_ID.source.replace(/^\^|\$$/gu, '');
const MEDIA_URL = new RegExp(`^/(?:api/)?uploads/(?:photos|video)/(${ID})(?:/|$)`, 'u');

/** Returns the ids of the uploaded photos and videos that rendered Markdown shows or links to, each once. */
export function findMediaIds(html: string): readonly string[] {
  const ids = new Set<string>();
  visit(fromHtml(html, { fragment: true }), 'element', (element) => {
    const id = findMediaId(element);
    if (id !== null) ids.add(id);
  });
  return [...ids];
}

/**
 * Removes the photos with the media ids `hiddenIds`, and links to these files, from rendered Markdown. Replaces a photo
 * with its alternative text, and a link with its text.
 */
export function omitMedia(html: string, hiddenIds: readonly string[]): string {
  if (hiddenIds.length === 0) return html;
  const tree = fromHtml(html, { fragment: true });
  visit(tree, 'element', (element, index, parent) => {
    const id = findMediaId(element);
    if (id === null || !hiddenIds.includes(id) || !parent || index === undefined) return;
    const { alt } = element.properties;
    const visible: Element['children'] =
      element.tagName === 'img' ? [{ type: 'text', value: typeof alt === 'string' ? alt : '' }] : element.children;
    parent.children.splice(index, 1, ...visible);
    return [SKIP, index];
  });
  return toHtml(tree);
}

function findMediaId({ properties: { src, href } }: Element): string | null {
  const url = src ?? href;
  return typeof url === 'string' ? (MEDIA_URL.exec(url)?.[1] ?? null) : null;
}
