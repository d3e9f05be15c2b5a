import { fromHtml } from 'hast-util-from-html';
import { sanitize } from 'hast-util-sanitize';
import { toHtml } from 'hast-util-to-html';
import { visit } from 'unist-util-visit';
import { ALLOW_LISTS, BLOCKS_WITH_TEXT, type MarkdownProfile } from './markdown/allow-list.ts';
import { cleanText, createMarkCap } from './markdown/clean-text.ts';
import { setDirections } from './markdown/direction.ts';
import { finishLinks } from './markdown/links.ts';
import { parseMarkdown } from './markdown/parse.ts';
import { plainParagraphs } from './markdown/plain-paragraphs.ts';
import { shape } from './markdown/shape.ts';
import type { Root } from './markdown/tree.ts';
import { wordsOf } from './markdown/words.ts';

export type { MarkdownProfile } from './markdown/allow-list.ts';

/** Longer texts are shown as plain paragraphs. */
const MAX_MARKDOWN_characters = 100_000;

export interface RenderedMarkdown {
  /** Safe HTML of allowed elements alone. */
  readonly html: string;
  /** The words alone, for excerpts and search: paragraphs separated by a newline. */
  readonly text: string;
  /** How many links lead to other sites or anywhere else (every <a>). */
  readonly links: number;
}

/**
 * Renders what somebody wrote as HTML that may stand in a page: CommonMark with strikethrough, bare http addresses as links
 * and, in articles, tables and own photos. HTML in it is shown as text. Never throws: a text too long, too deep or too
 * intricate to be worked out in time is shown as plain paragraphs. See decision 0034.
 */
export function renderMarkdown(markdown: string, profile: MarkdownProfile): RenderedMarkdown {
  const source = cleanText(markdown);
  const tree = treeOf(source, profile);
  cleanWords(tree);
  const links = finishLinks(tree, profile);
  setDirections(tree);
  // Last, so that nothing that was done to the tree before has to be trusted.
  const safe = sanitize(tree, ALLOW_LISTS[profile]) as Root;
  return { html: toHtml(safe), text: wordsOf(safe), links };
}

function treeOf(source: string, profile: MarkdownProfile): Root {
  const html = source.length <= MAX_MARKDOWN_characters ? parseMarkdown(source, profile) : null;
  if (html === null) return plainParagraphs(source);
  const tree = fromHtml(html, { fragment: true });
  shape(tree, profile);
  return tree;
}

/** Once more after parsing: `&#x202E;` is harmless before. */
function cleanWords(tree: Root): void {
  const marks = createMarkCap();
  const blocks: readonly string[] = [...BLOCKS_WITH_TEXT, 'pre'];
  visit(tree, (node) => {
    if (node.type === 'text') node.value = marks.cap(cleanText(node.value));
    if (node.type !== 'element') return;
    if (blocks.includes(node.tagName)) marks.reset();
    if (typeof node.properties.alt === 'string')
      node.properties.alt = createMarkCap().cap(cleanText(node.properties.alt));
  });
}
