import { toText } from 'hast-util-to-text';
import { visit } from 'unist-util-visit';
import { BLOCKS_WITH_TEXT } from './allow-list.ts';
import type { Element, Root } from './tree.ts';

const BLOCKS: readonly string[] = BLOCKS_WITH_TEXT;
const CONTAINERS: readonly string[] = ['blockquote', 'ul', 'ol', 'li'];
const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u;

/**
 * Gives every block the direction of its own words, and code always left to right. `auto` does not look into elements that
 * have a direction themselves, so a quote of paragraphs, or a list, that begins right to left says so.
 */
export function setDirections(tree: Root): void {
  visit(tree, 'element', (element) => {
    if (element.tagName === 'pre' || element.tagName === 'code') element.properties.dir = 'ltr';
    else if (CONTAINERS.includes(element.tagName) && beginsRightToLeft(element)) element.properties.dir = 'rtl';
    else if (BLOCKS.includes(element.tagName)) element.properties.dir = 'auto';
  });
}

function beginsRightToLeft(element: Element): boolean {
  return RIGHT_TO_LEFT.test(LETTER.exec(toText(element))?.[0] ?? '');
}
