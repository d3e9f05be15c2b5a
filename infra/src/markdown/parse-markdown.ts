import MarkdownIt, { type MarkdownIt as Parser, type Token } from 'markdown-it';
import type { MarkdownProfile } from './allow-list.ts';

/**
 * The maximum length of a URL. A longer URL remains text, because most browsers and servers reject it. In addition, a
 * Markdown reference could repeat a long URL thousands of times in the HTML.
 */
const MAX_URL_characters = 2_000;

/** Matches the start of a long text without spaces. The parser does not search for URLs in such a text. */
const LONG_WORD = /^\S{500}/u;

/**
 * The maximum number of lines. A text of the maximum length stays below it with at least twenty characters per line.
 */
const MAX_LINES = 5_000;

/** The maximum nesting depth of elements. Every level of a nested list counts as two levels. */
const MAX_DEPTH = 40;

/**
 * The maximum number of parser tokens. For example, a bold word consists of three tokens. A normal text of the maximum
 * length has a tenth of this number. The limit for posts is lower, because a thread shows a hundred posts at once. The
 * limit rejects nested lists of hyphens, whose HTML is seventeen times as long as their Markdown.
 */
const MAX_TOKENS: Record<MarkdownProfile, number> = { post: 5_000, article: 20_000 };

/**
 * The maximum number of HTML elements. Each element costs about 20 µs in the steps after the parser. Tokens do not
 * bound them well: a word in italics consists of three tokens, but inline code of one.
 */
const MAX_ELEMENTS: Record<MarkdownProfile, number> = { post: 1_000, article: 5_000 };

/**
 * The maximum number of links and pictures. A Markdown reference repeats its URL in each of its links, so this number
 * also limits the length of the HTML.
 */
const MAX_URLS = 1_000;

const parsers: Record<MarkdownProfile, Parser> = { post: createParser('post'), article: createParser('article') };

function createParser(profile: MarkdownProfile): Parser {
  const parser = new MarkdownIt({
    html: false,
    linkify: true,
    breaks: profile === 'post',
    typographer: false,
    maxNesting: MAX_DEPTH,
  });
  if (profile === 'post') parser.disable('table');
  // The parser accepts every link target up to the maximum length. The allow list checks the targets later, and
  // replaces a link with a forbidden target with its text. If the parser rejected the target, readers would see the
  // Markdown source of the link.
  parser.validateLink = (url) => url.length <= MAX_URL_characters;
  const { linkify } = parser;
  linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  for (const schema of ['ftp:', 'mailto:', '//']) linkify.add(schema, null);
  // The parser calls this function at every colon, and the function reads up to the end of the URL. For a long text of
  // many URLs, this would take quadratic time. A URL that is skipped here is found after the rest of the line is
  // parsed.
  const matchAtStart = linkify.matchAtStart.bind(linkify);
  linkify.matchAtStart = (text) => (LONG_WORD.test(text) ? null : matchAtStart(text));
  // The titles of Markdown references are removed. They are never shown, but every use of a reference would repeat its
  // title in the HTML.
  parser.core.ruler.after('block', 'no-titles', ({ env }) => {
    for (const reference of Object.values(env.references ?? {})) reference.title = '';
  });
  return parser;
}

/** Converts Markdown to HTML, which the caller must sanitize. Returns null if the text exceeds a limit. */
export function parseMarkdown(markdown: string, profile: MarkdownProfile): string | null {
  if (markdown.split('\n', MAX_LINES + 1).length > MAX_LINES) return null;
  const env = {};
  const parser = parsers[profile];
  const tokens = parser.parse(markdown, env);
  return isWithinLimits(tokens, profile) ? parser.renderer.render(tokens, parser.options, env) : null;
}

function isWithinLimits(tokens: readonly Token[], profile: MarkdownProfile): boolean {
  let depth = 0;
  let urls = 0;
  let elements = 0;
  let count = 0;
  for (const token of tokens) {
    for (const part of [token, ...(token.children ?? [])]) {
      count += 1;
      depth += part.nesting;
      if (part.nesting >= 0 && part.type !== 'text' && part.type !== 'inline') elements += 1;
      if (part.type === 'link_open' || part.type === 'image') urls += 1;
      // Below this depth, the parser omits elements without an error, so the text is rejected.
      if (depth >= MAX_DEPTH || urls > MAX_URLS) return false;
      if (elements > MAX_ELEMENTS[profile] || count > MAX_TOKENS[profile]) return false;
    }
  }
  return true;
}
