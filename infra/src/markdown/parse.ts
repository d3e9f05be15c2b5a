import MarkdownIt, { type MarkdownIt as Parser, type Token } from 'markdown-it';
import type { MarkdownProfile } from './allow-list.ts';

/** Longer addresses stay words: most browsers and servers refuse them, and a reference may repeat one thousands of times. */
const MAX_ADDRESS_characters = 2_000;

/** What is not looked through for an address at each of its colons. */
const LONG_WORD = /^\S{500}/u;

/** Lines before anything is parsed; a text of the greatest length has twenty characters in each. */
const MAX_LINES = 5_000;

/** Elements inside one another: lists within lists count two each. */
const MAX_DEPTH = 40;

/**
 * Pieces of a text (a word in bold is three). Prose of the greatest length has a tenth. A post is a tenth as long as an article, and of fewer pieces for
 * its length: lists within lists of nothing but hyphens would make seventeen times as much HTML as text, and a thread shows a hundred posts at once.
 */
const MAX_TOKENS: Record<MarkdownProfile, number> = { post: 5_000, article: 20_000 };

/** Links and pictures. Each may repeat the address of a reference, so this also bounds how much longer the HTML is than the text. */
const MAX_ADDRESSES = 1_000;

const parsers: Record<MarkdownProfile, Parser> = { post: parserOf('post'), article: parserOf('article') };

function parserOf(profile: MarkdownProfile): Parser {
  const parser = new MarkdownIt({
    html: false,
    linkify: true,
    breaks: profile === 'post',
    typographer: false,
    maxNesting: MAX_DEPTH,
  });
  if (profile === 'post') parser.disable('table');
  // Where a link leads is judged by the allow list, which keeps the words of a link it refuses; the parser would show its source.
  parser.validateLink = (address) => address.length <= MAX_ADDRESS_characters;
  const { linkify } = parser;
  linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  for (const schema of ['ftp:', 'mailto:', '//']) linkify.add(schema, null);
  // It is asked at every colon and reads on to the end of the address: a text that is one address made of addresses would take
  // its square. An address it is not asked about is found after the rest of the line is parsed.
  const matchAtStart = linkify.matchAtStart.bind(linkify);
  linkify.matchAtStart = (text) => (LONG_WORD.test(text) ? null : matchAtStart(text));
  // A title is not shown, and a reference would repeat it as often as it is used.
  parser.core.ruler.after('block', 'no-titles', ({ env }) => {
    for (const reference of Object.values(env.references ?? {})) reference.title = '';
  });
  return parser;
}

/** The text as HTML, not yet safe to show. Null when it passes a cap. */
export function parseMarkdown(markdown: string, profile: MarkdownProfile): string | null {
  if (markdown.split('\n', MAX_LINES + 1).length > MAX_LINES) return null;
  const env = {};
  const parser = parsers[profile];
  const tokens = parser.parse(markdown, env);
  return withinCaps(tokens, profile) ? parser.renderer.render(tokens, parser.options, env) : null;
}

function withinCaps(tokens: readonly Token[], profile: MarkdownProfile): boolean {
  let depth = 0;
  let addresses = 0;
  let count = 0;
  for (const token of tokens) {
    for (const piece of [token, ...(token.children ?? [])]) {
      count += 1;
      depth += piece.nesting;
      if (piece.type === 'link_open' || piece.type === 'image') addresses += 1;
      // At its own limit the parser leaves out what lies deeper, so one less is already too deep.
      if (depth >= MAX_DEPTH || addresses > MAX_ADDRESSES || count > MAX_TOKENS[profile]) return false;
    }
  }
  return true;
}
