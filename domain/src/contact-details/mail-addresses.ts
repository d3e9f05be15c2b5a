import { DOMAINS, DOT_WORDS, WORD_DOMAINS } from './domains.ts';
import { findAll, isLineEnd, trimEnd, type Range } from './ranges.ts';
import { isCommonWord } from './usual-words.ts';

/**
 * Finds mail addresses in a readable text. Each part has a maximum length, so that the time grows only linearly with
 * the length of the text: 64 characters before the @ and 63 for each part of a host name, as in DNS.
 */

const SERVICES =
  'g[\\s-]?mail|gee\\s?mail|googlemail|yahoo|hot\\s?mail|outlook|icloud|proton|proton\\s?mail|aol|gmx|msn|live|ymail|' +
  'bluewin|tutanota|tuta|libero|laposte|yandex|fastmail|zoho';
/** Mail services whose names are no other words. */
const CLEAR_SERVICES = 'g[\\s-]?mail|googlemail|hotmail|yahoo|icloud|protonmail|gmx|ymail|bluewin|tutanota';
const TOP = `(?:${DOMAINS}|${WORD_DOMAINS})(?![\\p{L}\\d-])`;

const AT_SIGN =
  String.raw`(?:\s?@\s?|\s?(?:[([{<]\s?(?:@|at|ät|a)\s?[)\]}>]|\*(?:@|at|ät)\*)\s?` +
  String.raw`|\s(?:ät|arroba|chiocciola|arobase|klammeraffe)\s)`;
const AT_WORD = String.raw`[\s_-]at[\s_-]`;
const DOT_SIGN = String.raw`(?:\s?\.\s?|,|\s?(?:[([{<]\s?(?:\.|dot|punkt)\s?[)\]}>]|\*(?:dot|punkt)\*)\s?)`;
const DOT = String.raw`(?:${DOT_SIGN}|[\s_-](?:${DOT_WORDS})[\s_-])`;
/** The parts of a name before the @. The dots between them may be words. */
const NAME = String.raw`(?:[\p{L}\d_-]{1,30}(?:[([{]dot[)\]}]|\s(?:${DOT_WORDS})\s)){0,2}[\p{L}\d._%+&-]{1,64}`;
const HOST = String.raw`[\p{L}\d-]{1,63}`;

const PATTERNS = [
  // Any host without spaces, such as robin@mail.example, and with signs in brackets.
  new RegExp(
    String.raw`(?<found>${NAME}(?:@|\s?[([{](?:at|a|@)[)\]}]\s?)${HOST}(?:(?:\.|\s?[([{](?:dot|\.)[)\]}]\s?)${HOST}){1,4})`,
    'dgiu',
  ),
  new RegExp(String.raw`(?<found>${NAME}${AT_SIGN}${HOST}(?:${DOT}${HOST}){0,2}${DOT}${TOP})`, 'dgiu'),
  /(?<found>[\p{L}\d._%+-]{1,64}\s?@\s?[\w-]{1,63}\s(?:com|net|org)\b)/dgiu,
  new RegExp(
    String.raw`(?<found>${NAME}${AT_SIGN}(?:${SERVICES})(?:[\s_](?:com|net|ch|de|fr|it|at|me))?(?![\p{L}\d]))`,
    'dgiu',
  ),
  /(?<![\w.-])(?<found>[\w.-]{2,64}_at_[\w-]{2,63}?_(?:dot_)?(?:com|net|org|ch|de|fr|it|me))(?![\p{L}\d])/dgiu,
  // Letters with spaces between them, as in `r o b i n @ g m a i l . c o m`.
  /(?<![\p{L}\d])(?<found>(?:[\p{L}\d._-]\s){2,40}(?:@|\(at\)|at)(?:\s[\p{L}\d-]){2,30}\s(?:\.|dot|\(dot\))\s(?:c\so\sm|n\se\st|o\sr\sg|c\sh|d\se|f\sr|i\st))(?![\p{L}\d])/dgiu,
];
/** Addresses whose sign is a word. A word of a sentence may be before it. */
const WORD_PATTERNS = [
  new RegExp(String.raw`(?<found>${NAME}${AT_WORD}${HOST}(?:${DOT}${HOST})?${DOT}${TOP})`, 'dgiu'),
  new RegExp(
    String.raw`(?<found>${NAME}${AT_WORD}(?:${SERVICES})[\s_](?:com|net|ch|de|fr|it|me))(?![\p{L}\d])`,
    'dgiu',
  ),
  // A name directly before a mail service, as in `robinnights gmail com`.
  new RegExp(
    String.raw`(?<![\w.+-])(?<found>[\p{L}_][\w.+-]{2,63}\s(?:at\s)?(?:${CLEAR_SERVICES})(?:\s|[.,]\s?|\s(?:${DOT_WORDS})\s)(?:com|net|ch|de|fr|it|at|me))(?![\p{L}\d])`,
    'dgiu',
  ),
];
/** A name and a mail service. Only a name with a digit, a full stop or an underscore counts within a sentence. */
const SERVICE_ONLY = new RegExp(
  String.raw`(?<![\w.+-])(?<found>[\p{L}_][\w.+-]{2,92}\s(?:(?:at|on|@|ät|bei)\s(?:my\s)?(?:${SERVICES})|(?:${CLEAR_SERVICES})))(?![\p{L}\d])`,
  'dgiu',
);

const UNUSUAL_NAME = /^\S{0,31}[._\d]/u;
/** The end of an address that is the first word of a sentence, as in `night.At`. */
const NEXT_SENTENCE = /[.]\s?[A-Z][a-z]+$/u;
/** A name after a space, as in `Bluesky @robin.bsky.social`. */
const HANDLE_WITH_DOTS = new RegExp(String.raw`\s@\S+\.(?:${WORD_DOMAINS})$`, 'iu');
const HAS_SPACES = /\s@|@\s|\sat\s/iu;
const AT_SERVICE = new RegExp(String.raw`[\s_-]at[\s_-](?:${SERVICES})(?![\p{L}\d])`, 'iu');

/** Most texts contain no address. This pattern finds it out in a short time. */
const MAY_HAVE_MAIL =
  /@|[ _([{*]at?[ _)\]}*]|ät[ )]|arroba|chiocciola|arobase|klammeraffe|mail|\s(?:yahoo|icloud|gmx|bluewin|tutanota)/iu;

/** Checks for an address that is neither the end of a sentence and the next one nor a name after a space and an @. */
const isAddress = (address: string): boolean =>
  !(NEXT_SENTENCE.test(address) && HAS_SPACES.test(address)) && !HANDLE_WITH_DOTS.test(address);

/** Checks whether an address whose sign is a word is none of the words of a sentence, as in `dinner at home.it is`. */
function isWordAddress(address: string): boolean {
  const [name = ''] = /^[\p{L}\p{N}]+/u.exec(address) ?? [];
  if (NEXT_SENTENCE.test(address) && !/(?:com|net|org)$/iu.test(address)) return false;
  return !isCommonWord(name) || AT_SERVICE.test(address);
}

/** Checks whether a name before the name of a mail service is the name of a person. */
function isServiceName(text: string, [start, end]: Range): boolean {
  const [name = ''] = /^\S+/u.exec(text.slice(start, end)) ?? [];
  if (UNUSUAL_NAME.test(name)) return true;
  return /^[a-z]{3,40}$/u.test(name) && !isCommonWord(name) && isLineEnd(text.slice(end, end + 20));
}

/** Includes the words before a name with spaces, as in `robin lv @ gmail com`. */
function extendToWords(text: string, [start, end]: Range): Range {
  if (!/\s@\s|\sat\s|\(/iu.test(text.slice(start, end))) return [start, end];
  const word = /(?:^|[\s:(])([a-z][a-z\d]{2,30})\s$/u.exec(text.slice(Math.max(0, start - 40), start))?.[1] ?? '';
  return word === '' || isCommonWord(word) ? [start, end] : [start - word.length - 1, end];
}

/** Returns the ranges of mail addresses in a readable text. */
export function findMailAddresses(text: string): readonly Range[] {
  if (!MAY_HAVE_MAIL.test(text)) return [];
  const found = [
    ...findAll(text, PATTERNS).filter((range) => isAddress(text.slice(...range))),
    ...findAll(text, WORD_PATTERNS).filter((range) => isWordAddress(text.slice(...range))),
    ...findAll(text, [SERVICE_ONLY]).filter((range) => isServiceName(text, range)),
  ];
  return found.map((range) => extendToWords(text, trimEnd(text, range)));
}
