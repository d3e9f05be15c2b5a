import { findDatesAndAmounts } from './dates-and-amounts.ts';
import { DIGIT_RUN, readDigits, REPEATS, type WordDigits } from './number-words.ts';

/** A group of digits: a word or a part of a word, such as `702`, `seven`, `7o2`, and `702` in `Call702`. */
export interface Group {
  readonly digits: string;
  /** True if the group is not written in digits. */
  readonly isHidden: boolean;
  /** True for `fifty`. The digit of the next word replaces its zero. */
  readonly isTens: boolean;
  /** True for `hundred`. */
  readonly isHundred?: boolean;
  readonly start: number;
  readonly end: number;
  /** The characters between the previous group and this one. */
  readonly gap: string;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Words that separate two numbers, such as `or`. They are no units. */
const CONNECTORS = new Set('to till until or in bis oder ou o'.split(' '));
/**
 * Units, things that are counted, and names of days and months. Numbers before and after them are not parts of one
 * telephone number.
 */
const UNITS = new Set(
  (
    'h hh hhr hr hrs qv hour hours min mins minute minutes am pm kg cm mm lb lbs ft inch inches m km mile ' +
    'miles mi yo yr yrs year years usd eur chf dollar dollars bucks roses overnight night nights half photo photos ' +
    'pics videos reviews followers likes fans clients members friends views posts stars steps people tokens ' +
    'guest guests percent sq degree degrees kilo kilos pounds oz day days week weeks month months hs cc ' +
    'street avenue ave blvd boulevard road rd drive lane suite ste highway hwy floor room rooms ' +
    'std stunde stunden uhr jahre heure heures ans euro euros francs franken minuten ore anni horas ' +
    'mon tue tues wed thu thurs fri sat sun ' +
    'monday tuesday wednesday thursday friday saturday sunday weekend mondays tuesdays wednesdays ' +
    'thursdays fridays saturdays sundays weekends jan feb mar apr may jun jul aug sep sept oct nov dec ' +
    'january february march april june july august september october november december'
  ).split(' '),
);
/**
 * Characters of prices and measures. Numbers before and after them are not parts of one telephone number. Prices do not
 * begin with 0, so an apostrophe is allowed in `079'555'12'34`.
 */
const SEPARATOR = /[$€£¥%°'"’”″′+]/u;
/** Words before a number without a space, as in `Call702`. */
const CALL = /^(?:call|text|txt|tel|sms|cell|ring|dial|phone|ph|whatsapp|wa|me|now)$/iu;
const CALL_AT_EDGE = /^(call|text|txt|cell|phone|dial|ring)?.+?(call|text|txt|now|me|please)?$/iu;
/** The digits of a spelled number, or of a country code, after letters, as in `Mia7 0 2` and `Mia1-702-555-0142`. */
const DIGITS_AFTER = /^\d(?:[ ._*/-]\d){2}(?!\d)|^1[-. ]\(?\d{3}/u;
/** The digits of a number before letters, as in `4 2Mia` and `555 01 42Mia`. */
const DIGITS_BEFORE = /\d[ ._*/-]\d[ ._*/-]\d$|\d[ .-]\d\d[ .-]\d\d$/u;

const MAX_GAP = 14;
const MAX_GAP_WORDS = 3;
const MAX_GAP_WORD = 9;
/** A group of more digits is no part of a telephone number. */
const MAX_DIGITS = 15;
/** A shorter number next to letters is a size, an ordinal or a name, such as `34C`, `3rd` and `B2`. */
const MIN_PART_DIGITS = 3;

/** Checks whether a word is a unit, or the name of a day or month. */
export const isUnit = (word: string): boolean => UNITS.has(word.toLowerCase());

/** Checks whether a word connects two parts of a sentence, such as `or`. */
export const isConnector = (word: string): boolean => CONNECTORS.has(word.toLowerCase());

/**
 * A word that repeats the next digit, such as `double` in `double five`: the number of repetitions, and the position of
 * the word in the text.
 */
interface Repeat {
  readonly times: number;
  readonly start: number | null;
}
const NO_REPEAT: Repeat = { times: 1, start: null };

/** A word, or a part of it. `read` is null if it contains no digits of a telephone number. */
interface Part {
  readonly text: string;
  readonly start: number;
  readonly read: WordDigits | null;
}

/** Returns the parts of a word of letters that is a number in words next to a word of `CALL`, as in `textseven`. */
function splitLetters(word: string, index: number): readonly Part[] | null {
  const [, before = '', after = ''] = CALL_AT_EDGE.exec(word) ?? [];
  if (before === '' && after === '') return null;
  const number = word.slice(before.length, word.length - after.length);
  const read = readDigits(number);
  if (read === null || number === '') return null;
  return [
    { text: before, start: index, read: null },
    { text: number, start: index + before.length, read },
    { text: after, start: index + before.length + number.length, read: null },
  ].filter(({ text }) => text !== '');
}

/**
 * Returns the digits and the letters of a word of a text, such as `Call`, `7025550142` and `now` of
 * `Call7025550142now`.
 */
function splitWord(text: string, word: string, index: number): readonly Part[] {
  const read = readDigits(word);
  if (read !== null) return [{ text: word, start: index, read }];
  if (!/\d/u.test(word)) return splitLetters(word, index) ?? [{ text: word, start: index, read }];
  const parts: Part[] = [];
  let end = 0;
  const addLetters = (to: number) => {
    if (to > end) parts.push({ text: word.slice(end, to), start: index + end, read: null });
  };
  for (const { 0: run, index: start } of word.matchAll(DIGIT_RUN)) {
    const before = word.slice(end, start);
    addLetters(start);
    end = start + run.length;
    const isPart =
      run.length >= MIN_PART_DIGITS ||
      CALL.test(before) ||
      CALL.test(word.slice(end, end + 9)) ||
      (end === word.length && DIGITS_AFTER.test(text.slice(index + start, index + end + 6))) ||
      (start === 0 && DIGITS_BEFORE.test(text.slice(Math.max(0, index - 5), index + end)));
    parts.push({ text: run, start: index + start, read: isPart ? readDigits(run) : null });
  }
  addLetters(word.length);
  return parts;
}

/** The characters between the parts of one number in words, as in `fifty-five` and `cinquante et un`. */
const SAME_NUMBER_GAP = /^(?:[ -]|\s(?:and|et|y|e)\s)$/u;

/** Returns the digits of a number in words that consists of two groups, such as `fifty five`, or null. */
function joinWords(first: Group, second: Group): string | null {
  if (!first.isHidden || !second.isHidden || !SAME_NUMBER_GAP.test(second.gap)) return null;
  // The French words for 70 to 99 are sums and a product, such as `soixante-dix` and `quatre-vingt-dix`.
  if (first.digits === '4' && second.digits === '20' && second.gap === '-') return '80';
  if (!first.isTens) return null;
  if (/^[1-9]$/u.test(second.digits)) return first.digits.slice(0, -1) + second.digits;
  return /^[68]0$/u.test(first.digits) && /^1\d$/u.test(second.digits) ? String(+first.digits + +second.digits) : null;
}

/** Adds a group to a chain. `fifty` and `five` are one group. */
function addGroup(chain: Group[], group: Group): void {
  const previous = chain.at(-1);
  const digits = previous ? joinWords(previous, group) : null;
  if (previous === undefined || digits === null) return void chain.push(group);
  chain[chain.length - 1] = { ...previous, digits, isTens: group.isTens, end: group.end };
}

/**
 * Joins `hundred` and the number after it, as in `seven hundred two, 555, 0142`. In `eight hundred five five five …`,
 * the ten digits are a number without that.
 */
function joinHundreds(chain: readonly Group[]): readonly Group[] {
  const digits = chain.reduce((sum, group) => sum + group.digits.length, 0);
  const joined: Group[] = [];
  for (const group of chain) {
    const hundred = joined.at(-1);
    const isPart = digits !== 10 && hundred?.isHundred === true && group.isHidden && /^[1-9]\d?$/u.test(group.digits);
    if (isPart && SAME_NUMBER_GAP.test(group.gap))
      joined[joined.length - 1] = {
        ...hundred,
        digits: group.digits.padStart(2, '0'),
        isHundred: false,
        end: group.end,
      };
    else joined.push(group);
  }
  return joined;
}

/** Returns the words of a text and their parts. Dates, times and amounts are null. */
function* findParts(text: string): Generator<Part | null> {
  const fixed = findDatesAndAmounts(text);
  let next = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    while ((fixed[next]?.[1] ?? Infinity) <= index) next += 1;
    if (index >= (fixed[next]?.[0] ?? Infinity)) yield null;
    else yield* splitWord(text, word, index);
  }
}

/** Returns the groups of digits of a text, in chains. The groups of one chain may belong to one telephone number. */
export function findDigitGroups(text: string): readonly (readonly Group[])[] {
  const chains: (readonly Group[])[] = [];
  let chain: Group[] = [];
  let end = 0;
  let words = 0;
  let repeat = NO_REPEAT;
  const close = () => {
    if (chain.length > 0) chains.push(joinHundreds(chain));
    chain = [];
  };
  for (const part of findParts(text)) {
    const times = part === null ? undefined : REPEATS.get(part.text.toLowerCase());
    if (part === null) close();
    else if (times !== undefined) repeat = { times, start: part.start };
    else if (part.read === null || part.read.digits.length > MAX_DIGITS) {
      repeat = NO_REPEAT;
      words += 1;
      const isEnd = words > MAX_GAP_WORDS || part.text.length > MAX_GAP_WORD;
      if (isEnd || isUnit(part.text) || isConnector(part.text)) close();
    } else {
      const start = repeat.start ?? part.start;
      const gap = text.slice(end, start);
      const isSeparated = SEPARATOR.test(gap) && !(chain[0]?.digits.startsWith('0') === true && /^'{1,2}$/u.test(gap));
      if (chain.length > 0 && (gap.length > MAX_GAP + MAX_GAP_WORD * words || isSeparated)) close();
      const digits = part.read.digits.charAt(0).repeat(repeat.times - 1) + part.read.digits;
      end = part.start + part.text.length;
      addGroup(chain, { ...part.read, digits, start, end, gap });
      [words, repeat] = [0, NO_REPEAT];
    }
  }
  close();
  return chains;
}
