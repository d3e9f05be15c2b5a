import { createMarkLimiter } from '@alpenglow/domain';
import { fromHtml } from 'hast-util-from-html';
import { sanitize } from 'hast-util-sanitize';
import { toHtml } from 'hast-util-to-html';
import { toText } from 'hast-util-to-text';
import { visit } from 'unist-util-visit';
import { ALLOW_LISTS, BLOCKS_WITH_TEXT, type MarkdownProfile } from './allow-list.ts';
import { removeControlCharacters } from './clean-text.ts';
import { setDirections } from './text-direction.ts';
import { cleanLinks } from './links.ts';
import { parseMarkdown } from './parse-markdown.ts';
import { createPlainParagraphs } from './plain-paragraphs.ts';
import { adaptElements } from './adapt-elements.ts';
import type { Root } from './html-tree.ts';

export type { MarkdownProfile } from './allow-list.ts';

/** Maximum length of a Markdown text. A longer text is shown as plain paragraphs. */
const MAX_MARKDOWN_characters = 100_000;

/**
 * Renders Markdown as safe HTML. Supports CommonMark, strikethrough and automatic links, and in articles also tables
 * and uploaded photos. HTML tags in the Markdown are shown as text. A text that is too long, too deeply nested or too
 * complex is rendered as plain paragraphs. Never throws. See decision 0034.
 */
export function renderMarkdown(markdown: string, profile: MarkdownProfile) {
  const source = removeControlCharacters(markdown);
  const tree = parseTree(source, profile);
  cleanTextNodes(tree);
  const links = cleanLinks(tree, profile);
  setDirections(tree);
  // Sanitizing is the last step, so errors of earlier steps cannot make the HTML unsafe.
  const safe = sanitize(tree, ALLOW_LISTS[profile]) as Root;
  return {
    html: toHtml(safe),
    /** The plain text for excerpts and search. Paragraphs are separated by a newline. */
    text: extractText(safe),
    links,
  };
}

/** Returns the visible text of an HTML tree. Every paragraph, line, table row and list item is on a separate line. */
function extractText(tree: Root): string {
  return toText(tree)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function parseTree(source: string, profile: MarkdownProfile): Root {
  const html = source.length <= MAX_MARKDOWN_characters ? parseMarkdown(source, profile) : null;
  if (html === null) return createPlainParagraphs(source);
  const tree = fromHtml(html, { fragment: true });
  adaptElements(tree, profile);
  return tree;
}

/** Removes control characters from the text again, because parsing decodes character references such as `&#x202E;`. */
function cleanTextNodes(tree: Root): void {
  const marks = createMarkLimiter();
  const blocks: readonly string[] = [...BLOCKS_WITH_TEXT, 'pre'];
  visit(tree, (node) => {
    if (node.type === 'text') node.value = marks.limit(removeControlCharacters(node.value));
    if (node.type !== 'element') return;
    if (blocks.includes(node.tagName)) marks.reset();
    if (typeof node.properties.alt === 'string')
      node.properties.alt = createMarkLimiter().limit(removeControlCharacters(node.properties.alt));
  });
}
