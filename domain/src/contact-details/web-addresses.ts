import { DOMAINS, DOT_WORDS, SENTENCE_DOMAIN, WORD_DOMAINS } from './domains.ts';
import { findAll, trimEnd, type Range } from './ranges.ts';
import { isCommonWord } from './usual-words.ts';

/**
 * Finds addresses of the web in a readable text. Each part has a maximum length, so that the time grows only linearly
 * with the length of the text: 63 characters for each part of a host name, as in DNS.
 */

const BEFORE = String.raw`(?:^|[^\w@.-])`;
const DOT = String.raw`(?:\s?[.,]\s?|\s?[([{](?:dot|\.)[)\]}]\s?|\s(?:${DOT_WORDS})\s)`;

const PATTERNS = [
  /(?<found>https?:\/\/\S+)/dgiu,
  /\b(?<found>www\s?\.\s?[\w-]{1,63}(?:\s?\.\s?[\w-]{1,63}){0,4}(?:\/\S*)?)/dgiu,
  new RegExp(
    String.raw`\b(?<found>www(?:${DOT}|\s)[\w-]{2,63}(?:(?:${DOT}|\s)[\w-]{2,63})?(?:${DOT}|\s)(?:${DOMAINS}|${WORD_DOMAINS})(?![\p{L}\d]))`,
    'dgiu',
  ),
  new RegExp(
    String.raw`${BEFORE}(?<found>[\w-]{1,63}(?:\.[\w-]{1,63}){0,3}\.(?:${WORD_DOMAINS})\/[\w@+#][^\s,;]*)`,
    'dgiu',
  ),
  /(?:^|[^\w@.-])(?<found>[\w-]{1,63}(?:\.[\w-]{1,63}){0,2}\.bsky\.social\b)/dgiu,
  new RegExp(
    String.raw`${BEFORE}(?<found>[\w-]{3,63}(?:\s?[([{](?:dot|\.)[)\]}]|\sdot)\s?(?:com|net|org|info|co|ch)(?:\/[\w@+#][^\s,;]*)?)(?![\p{L}\d])`,
    'dgiu',
  ),
  // The address of a person at a network, with spaces or words for its signs, as in `t . me / robin`.
  new RegExp(
    String.raw`${BEFORE}(?<found>(?:t|wa|m|fb|x|ig|linktr|instagram|snapchat|onlyfans|fansly|twitter|facebook|tiktok|tryst|beacons|allmylinks|telegram)${DOT}(?:me|com|ee|ai|link|org)\s?(?:\/|\sslash\s)\s?(?:add\s?\/\s?)?@?[\w.-]{2,40})`,
    'dgiu',
  ),
  // Letters with spaces between them, as in `r o b i n . c o m`.
  /(?<![\p{L}\d])(?<found>(?:[\p{L}\d-]\s){3,40}(?:\.|dot|\(dot\))\s(?:c\so\sm|n\se\st|o\sr\sg|c\sh))(?![\p{L}\d])/dgiu,
  // A name on Reddit.
  /(?:^|[^\w/])(?<found>\/?u\/[\w-]{3,20})(?![\w/])/dgu,
];
const DOMAIN_PATTERN = new RegExp(
  String.raw`${BEFORE}(?<found>[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:${DOMAINS})(?!-?\w)(?:\/[^\s,;]*)?)`,
  'dgiu',
);
/** Hosts whose first part must be no word of a sentence. */
const NAME_PATTERNS = [
  new RegExp(
    String.raw`${BEFORE}(?<found>[\w-]{3,63}(?:\s?[([{](?:dot|\.)[)\]}]\s?|[\s-](?:${DOT_WORDS})[\s-])(?:c\so\sm|${DOMAINS}|me|us|it|vegas|vip))(?![\p{L}\d-])`,
    'dgiu',
  ),
  /(?:^|[^\w@.-])(?<found>[\w-]{3,63}[,•·*](?:com|net|org|ch|de))(?![\p{L}\d-])/dgiu,
  /(?:^|[^\w@.-])(?<found>[\w-]{3,63}(?:\.\s|\s\.\s?|_)com)(?![\p{L}\d-])/dgu,
];
/** A host whose top-level domain is also a word, as in `robinlv.me`. */
const WORD_DOMAIN_PATTERN = new RegExp(
  String.raw`${BEFORE}(?<found>[\w-]{3,63}(?:\.[\w-]{2,63}){0,2}\.(?:${WORD_DOMAINS})(?!-?\w|\.\w))`,
  'dgiu',
);

/** A full stop without space before the next sentence, as in `oil.Info`. */
const NEXT_SENTENCE = /^[\w-]*\.[A-Z][a-z]+$/u;
/** A name with a capital letter, or at the end of a line, such as `Robinnights.Com`. */
const WEB_NAME = /^[A-Z][\w-]+\.(?:Com|Net|Org)$/u;
/** Words before an address of the web. */
const WEB_CUE = /(?:visit|see|website|web|site|page|photos?|pics|more|link|at|on|book|url|here)[\s:=-]{1,3}$/iu;
/** Words before an address of the web whose host may be a word of a sentence. */
const CLEAR_CUE = /(?:visit|website|web|site|link|url)[\s:=-]{1,3}$/iu;
/** The text after an address, if it is not the next word of a sentence. */
const AFTER_ADDRESS =
  /^(?:[^\p{L}]*$|\s*[^\s\p{L}]|\s*\n|\s+(?:for|and|or|is|now|has|with|und|für|et|pour|e|per)(?!\p{L}))/iu;

/** Most texts contain no address. This pattern finds it out in a short time. */
const MAY_HAVE_WEB = /[.,]\S|:\/|\bwww\b|\b(?:dot|punkt|point|punto|ponto|com|slash)\b|_com|\s\.\s|\.\s[cnoi]|\bu\//iu;

const beforeOf = (text: string, [start]: Range) => text.slice(Math.max(0, start - 16), start);
const isAlone = (text: string, [, end]: Range) => AFTER_ADDRESS.test(text.slice(end, end + 20));

/** Checks whether a name with a full stop is an address of the web and not the end of a sentence and the next one. */
function isWebAddress(text: string, range: Range): boolean {
  const address = text.slice(...range);
  if (NEXT_SENTENCE.test(address))
    return WEB_NAME.test(address) || (isAlone(text, range) && /\.(?:Com|Net|Org)$/u.test(address));
  return !SENTENCE_DOMAIN.test(address) || isAlone(text, range) || WEB_CUE.test(beforeOf(text, range));
}

/** Checks whether a host begins with a name and not with a word of a sentence, as in `Ask.me`. */
function beginsWithName(text: string, range: Range): boolean {
  const [name = ''] = /^[\w-]+/u.exec(text.slice(...range)) ?? [];
  return /[a-z]/iu.test(name) && name.split('-').some((word) => /\p{L}/u.test(word) && !isCommonWord(word));
}

/** Checks whether a host is an address although its top-level domain is also a word. */
function isWordDomain(text: string, range: Range): boolean {
  const before = beforeOf(text, range);
  if (CLEAR_CUE.test(before)) return true;
  if (!beginsWithName(text, range) || /\.[A-Z][a-z]+$/u.test(text.slice(...range))) return false;
  return isAlone(text, range) || WEB_CUE.test(before);
}

/** Returns the ranges of addresses of the web in a readable text. */
export function findWebAddresses(text: string): readonly Range[] {
  if (!MAY_HAVE_WEB.test(text)) return [];
  const found = [
    ...findAll(text, PATTERNS),
    ...findAll(text, [DOMAIN_PATTERN]).filter((range) => isWebAddress(text, range)),
    ...findAll(text, NAME_PATTERNS).filter((range) => beginsWithName(text, range) && isAlone(text, range)),
    ...findAll(text, [WORD_DOMAIN_PATTERN]).filter((range) => isWordDomain(text, range)),
  ];
  return found.map((range) => trimEnd(text, range));
}
