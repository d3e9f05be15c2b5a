import { toText } from 'hast-util-to-text';
import type { Root } from './tree.ts';

/** The words of a tree as a reader sees them; paragraphs, lines, rows and items each end with a newline. */
export function wordsOf(tree: Root): string {
  return toText(tree)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}
