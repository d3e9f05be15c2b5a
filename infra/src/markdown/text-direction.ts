import { toText } from 'hast-util-to-text';
import { visit } from 'unist-util-visit';
import { BLOCKS_WITH_TEXT } from './allow-list.ts';
import type { Element, Root } from './html-tree.ts';

const BLOCKS: readonly string[] = BLOCKS_WITH_TEXT;
const CONTAINERS: readonly string[] = ['blockquote', 'ul', 'ol', 'li'];
const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT_SCRIPTS = [
  'Hebrew',
  'Arabic',
  'Syriac',
  'Thaana',
  'Nko',
  'Samaritan',
  'Mandaic',
  'Adlam',
  'Hanifi_Rohingya',
];
const RIGHT_TO_LEFT = new RegExp(`[${RIGHT_TO_LEFT_SCRIPTS.map((name) => `\\p{Script=${name}}`).join('')}]`, 'u');

/**
 * Sets the text direction of every block. Code is always left to right. Other blocks get `auto`, with which the browser
 * ignores the text of child elements that have their own direction. A quote or list that starts with right-to-left text
 * therefore gets the direction `rtl` explicitly.
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
