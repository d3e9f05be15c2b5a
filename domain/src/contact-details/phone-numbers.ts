import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { findDigitGroups, isConnector, isUnit, type Group } from './digit-groups.ts';

/**
 * Finds telephone numbers in a readable text. libphonenumber-js decides which digits are a number. The digits may be
 * words or letters, or spread over words and lines. Their groups distinguish numbers from prices, dates and measures.
 */

/** Words before or after which a number is a telephone number. */
const CUE =
  /(?:^|[^\p{L}\d])(?:call|calls|calling|text|texts|texting|txt|tel|tél|telephone|téléphone|telefon|telefono|phone|ph|cell|mob|mobile|mobil|handy|natel|portable|cellulare|number|nummer|numero|número|numéro|num|sms|msg|message|dial|ring|reach|signal|telegram|whats\s?app|what's\s?app|wa|viber|imessage|contact|booking|bookings|digits|hotline|llama|llamar|llamame|llámame|llámanos|appel|appelle|appelez|appeler|anruf|anrufen|ruf|rufe|chiama|chiamami|chiamate|chiamare|тел|телефон|номер|звони|звоните|пишите|ватсап|вотсап|hit\s(?:me\s)?up|hmu)(?!\p{L})|[☎📞📱]/giu;
/** The text between a word of `CUE` and a number: at most three words on the same line. */
const BETWEEN = /^[^\p{L}\d]{0,6}(?:[\p{L}'’]{1,12}[^\p{L}\d\n]{1,4}){0,3}$/u;
const DIRECTLY_BETWEEN = /^[^\p{L}\d]{0,6}(?:(?:me|us|at|on|is|now)[^\p{L}\d\n]{1,4}){0,2}$/iu;
const MAX_BETWEEN = 60;
/** A text that neither of these patterns matches. */
const NO_CUE = 'x';
const CUE_AFTER =
  /^[^\p{L}\d\n]{0,3}(?:(?:solo|nur|only|just|que|seulement|via|per|por|por\sfavor|bitte)\s)?(?:call|calls|text|texts|txt|sms|ring|whats\s?app|wa|chiamami|chiamare|chiamate|chiama|llámame|llamame|llamar|llama|anrufen|ruf\san|ruf\smich|rufen|appele[rz]|appelle|appels|звоните|звони|пишите)(?!\p{L})/iu;
/** Words after which a short number is no telephone number. */
const OTHER_NUMBER_BEFORE =
  /\b(?:suite|room|unit|apt|apartment|license|licence|lic|no|nr|case|order|permit|ref|table|flight|zip|booth|nvmt)[.:#\s]{0,3}$/iu;
/** Words after which digits without spaces are the number of something else, as in `Order number: 7025550142`. */
const IDENTIFIER_BEFORE =
  /(?:^|[^\p{L}])(?<!(?:app|telegram|signal|viber|phone|caller|area)\s)(?:id|iban|konto|account|order|invoice|ref|reference|license|licence|permit|case|isbn|ean|upc|vat|uid|ticket|pin|code|password|passwort|wi-?fi|member(?:ship)?)(?:\s?(?:id|no|nr|number|nummer|code|password|#))?[.:#\s]{0,3}$/iu;
/** Words after which a list of prices is no telephone number. */
const PRICE_WORD_BEFORE =
  /(?:rates?|prices?|donations?|donos?|roses?|incall|outcall|fees?|specials?|costs?|preise?|tarifs?|tariffe|prezzi|precios?)[^\p{L}\d\n]{0,6}$/iu;
const CURRENCY_OR_UNIT_AFTER = /^\s?[$€£%°'"]/u;
const CURRENCY_BEFORE = /[$€£]\s?$/u;
/** Characters between digits that prices usually do not have. */
const PHONE_SEPARATOR = /[-.()]/u;
/** Words between the parts of a number that is read out, as in `702 then 555 then 0142`. */
const SPOKEN_GAP =
  /^(?:[^\p{L}]*(?:then|next|and|end|last|lastly|finally|first|followed|by|after|that|dash|dot|point|hyphen|minus|space|slash|star|plus|und|dann|y|luego|et|puis|poi|code|prefix|number|nummer|numero|número|numéro|the|usual|rest|is))*[^\p{L}]*$/iu;
/** The gap between the sides of an area or a box, as in `310 x 250`. */
const TIMES_GAP = /^\s*[x×]\s*$/iu;
/** Numbers whose last digits are a word of the keypad, such as 702-555-ROSE and 1-800-FLOWERS. */
const KEYPAD_WORD = new RegExp(
  String.raw`(?:^|[^\w-])((?:\+?1[-. ])?` +
    String.raw`(?:\(?[2-9]\d\d\)?[-. ][2-9]\d\d[-. ][A-Z]{4}|8(?:00|88|77|66|55|44|33)[-. ][A-Z]{7}))(?![\w-])`,
  'gu',
);

/** The countries whose numbers are recognised without country code if they begin with 0. */
const COUNTRIES_WITH_ZERO = ['CH', 'DE', 'AT', 'FR', 'IT', 'GB'] as const;
/** The countries whose numbers begin with another digit and are recognised without country code after a cue. */
const COUNTRIES_WITHOUT_ZERO = ['ES', 'IT'] as const;
/** The groups of such numbers on a line on which nothing else is. */
const SOUTHERN_GROUPS = /^(?:9|10|3,3,3|3,2,2,2|3,6|3,7|3,3,4|3,3,2,2|3,2,2,3)$/u;
/** The groups of numbers with country code on a line on which nothing else is. */
const INTERNATIONAL_GROUPS = /^[23],(?:9|10|3,3,3|3,3,4|2,3,2,2|3,2,2,2|1,2,2,2,2|2,7|3,6|3,7|3,8|4,6)$/u;
const MAX_DIGITS = 18;
/** The library checks at most this number of candidates of a text. In a text with more, all of them are numbers. */
const MAX_CHECKS = 200;
/** The highest usual price. */
const MAX_PRICE = 5_000;

const areaCodes = new Map<string, boolean>();
/** Checks a number of ten digits. The area code decides, and the result for each of the 800 codes is stored. */
function isNorthAmerican(digits: string): boolean {
  if (!/^[2-9]\d\d[2-9]\d{6}$/u.test(digits)) return false;
  const area = digits.slice(0, 3);
  const known = areaCodes.get(area) ?? parsePhoneNumberFromString(`+1${area}5550100`)?.isValid() ?? false;
  areaCodes.set(area, known);
  return known;
}

type Country = (typeof COUNTRIES_WITH_ZERO | typeof COUNTRIES_WITHOUT_ZERO)[number] | 'RU';

/** A text, and what is known about all of it. */
interface Context {
  readonly text: string;
  /** The ends of the words of `CUE`, in their order. */
  readonly cueEnds: readonly number[];
  checks: number;
}

/** Returns the largest of ascending numbers that is at most `max`, or null. A text may contain thousands of cues. */
function findLastUpTo(numbers: readonly number[], max: number): number | null {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? Infinity) <= max) low = middle + 1;
    else high = middle;
  }
  return numbers[low - 1] ?? null;
}

/** A sequence of groups that may be a telephone number. Its properties are computed when they are needed. */
class Candidate {
  readonly #context: Context;
  readonly groups: readonly Group[];
  readonly digits: string;
  /** The characters between the groups. */
  readonly gaps: readonly string[];
  /** True if another single digit follows, so that the groups are not all of the number. */
  readonly isContinued: boolean;
  readonly #start: number;
  readonly #end: number;

  constructor(context: Context, groups: readonly Group[], next: Group | undefined) {
    this.#context = context;
    this.groups = groups;
    const last = groups.at(-1);
    this.isContinued = last?.digits.length === 1 && next?.digits.length === 1 && last.gap === next.gap;
    this.digits = groups.map(({ digits }) => digits).join('');
    this.gaps = groups.slice(1).map(({ gap }) => gap);
    this.#start = groups[0]?.start ?? 0;
    this.#end = groups.at(-1)?.end ?? 0;
  }

  get before(): string {
    return this.#context.text.slice(Math.max(0, this.#start - 20), this.#start);
  }

  get after(): string {
    return this.#context.text.slice(this.#end, this.#end + 20);
  }

  /** The text between the last word of `CUE` and the digits, or null if that word is too far away. */
  get #afterCue(): string | null {
    const { text, cueEnds } = this.#context;
    const cueEnd = findLastUpTo(cueEnds, this.#start);
    return cueEnd === null || this.#start - cueEnd > MAX_BETWEEN ? null : text.slice(cueEnd, this.#start);
  }

  /** True if a word before the digits announces a telephone number. */
  get hasCueBefore(): boolean {
    return BETWEEN.test(this.#afterCue ?? NO_CUE);
  }

  /** True for `call 250 350 1200`, but not for `call for 250 350 1200`. */
  get hasCueDirectlyBefore(): boolean {
    return DIRECTLY_BETWEEN.test(this.#afterCue ?? NO_CUE);
  }

  /** True if the words before or after the digits announce a telephone number. */
  get hasCue(): boolean {
    return this.hasCueBefore || CUE_AFTER.test(this.after);
  }

  /** True if nothing else is on the line. */
  get isAlone(): boolean {
    return (
      /(?:^|\n)[^\p{L}\p{N}\n]*$/u.test(this.#context.text.slice(0, this.#start).slice(-20)) &&
      /^[^\p{L}\p{N}\n]*(?:\n|$)/u.test(this.after)
    );
  }

  get isHidden(): boolean {
    return this.groups.some(({ isHidden }) => isHidden);
  }

  /** True for the number of an order, a membership or the like. */
  get isIdentifier(): boolean {
    return this.groups.length === 1 && IDENTIFIER_BEFORE.test(this.before);
  }

  /** True if each group is one digit, as in `0 7 9 5 5 5 …`. */
  get isSpelled(): boolean {
    return this.groups.every(({ digits }) => digits.length === 1);
  }

  /** True for the digits in their usual order, such as `0 1 2 3 4 5 6 7 8 9`. */
  get isSequence(): boolean {
    return '01234567890123456789'.includes(this.digits);
  }

  /** True for a sign in each gap, also if it has a word too, as in `702 … the usual 555 … 0133`. */
  get hasSignGaps(): boolean {
    return this.gaps.every((gap) => /…|\.\.|--|[^\x00-\xFF\p{L}\p{N}]/u.test(gap));
  }

  /** The lengths of the groups, e.g. `3,3,4`. */
  get form(): string {
    return this.groups.map(({ digits }) => digits.length).join();
  }

  get hasWordGap(): boolean {
    return this.gaps.some((gap) => /\p{L}/u.test(gap));
  }

  /** True if the words between the groups belong to a number that is read out, or are always the same. */
  get hasUsualWordGaps(): boolean {
    const gaps = this.gaps.map((gap) => gap.trim().toLowerCase()).filter((gap) => /\p{L}/u.test(gap));
    if (gaps.some((gap) => TIMES_GAP.test(gap))) return false;
    if (gaps.every((gap) => SPOKEN_GAP.test(gap)) || (gaps.length > 1 && new Set(gaps).size === 1)) return true;
    return this.form === '3,3,4' && this.hasSignGaps;
  }

  /** True if the last group may be a year, such as 2026. */
  get endsWithYear(): boolean {
    return /^(?:19|20)\d\d$/u.test(this.groups.at(-1)?.digits ?? '');
  }

  get isFollowedByUnit(): boolean {
    if (CURRENCY_OR_UNIT_AFTER.test(this.after)) return true;
    const [, word = '', number] = /^\s?(\p{L}+)\.?(\s?\d)?/u.exec(this.after) ?? [];
    // In `555 0142 min 2 hours`, the unit belongs to the next number.
    return isUnit(word) && (number === undefined || word !== 'min');
  }

  /** True for `100-1200 to`, but not if a word announces a telephone number. */
  get isFollowedByConnector(): boolean {
    return isConnector(/^\s?(\p{L}+)/u.exec(this.after)?.[1] ?? '') && !this.hasCue;
  }

  /** Checks whether the digits are a number of any country, or only have the length of one. */
  isNumber(number: string, requirement: 'valid' | 'possible', country?: Country): boolean {
    this.#context.checks += 1;
    if (this.#context.checks > MAX_CHECKS) return true;
    const parsed = parsePhoneNumberFromString(number, country);
    return (requirement === 'valid' ? parsed?.isValid() : parsed?.isPossible()) ?? false;
  }
}

const countDigits = (groups: readonly Group[]) => groups.reduce((sum, { digits }) => sum + digits.length, 0);

/** Returns the positions between the groups, counted in digits from the end. */
function boundariesOf(groups: readonly Group[]): readonly number[] {
  let rest = countDigits(groups);
  return groups.slice(0, -1).map(({ digits }) => (rest -= digits.length));
}

const isMultipleOf = (divisor: number) => (value: number) => value % divisor === 0;
const isBelowNext = (value: number, index: number, values: readonly number[]) =>
  value < (values[index + 1] ?? Infinity);
const isAboveNext = (value: number, index: number, values: readonly number[]) =>
  value > (values[index + 1] ?? -Infinity);

/**
 * Checks whether numbers are a list of prices: round numbers, usually in ascending order. A telephone number has such
 * digits in rare cases, so numbers that are joined like one must be rounder, unless a word of a price is before them.
 */
function mayBePrices(candidate: Candidate): boolean {
  const { groups, gaps } = candidate;
  if (groups.length < 2 || candidate.isHidden || !groups.every(({ digits }) => /^[1-9]\d*[05]$/u.test(digits)))
    return false;
  const values = groups.map(({ digits }) => Number(digits));
  const isOrdered = values.every(isBelowNext) || values.every(isAboveNext);
  if (PRICE_WORD_BEFORE.test(candidate.before)) return isOrdered || values.every(isMultipleOf(10));
  // 600 700 8000 is a list. 702 555 8000 is none.
  const hasNoSign = !gaps.some((gap) => PHONE_SEPARATOR.test(gap));
  if (hasNoSign && values.every(isBelowNext) && values.every(isMultipleOf(50))) return true;
  if (values.some((value) => value > MAX_PRICE || (value >= 1_000 && value % 50 !== 0))) return false;
  // (480) 940-4100 is no list.
  if (gaps[0]?.startsWith(')') === true && !gaps.slice(1).some((gap) => gap.includes('('))) return false;
  const areTens = values.every(isMultipleOf(10));
  if (hasNoSign) return isOrdered || areTens;
  return (isOrdered && areTens) || values.every(isMultipleOf(50));
}

/** Checks whether numbers are prices, and no word before them announces a telephone number. */
function isPriceList(candidate: Candidate): boolean {
  if (mayBePrices(candidate)) return !candidate.hasCueDirectlyBefore || PRICE_WORD_BEFORE.test(candidate.before);
  const { groups, gaps, before } = candidate;
  const isAmount = CURRENCY_BEFORE.test(before) && groups.length > 1 && !gaps.some((gap) => PHONE_SEPARATOR.test(gap));
  return isAmount && !candidate.isHidden && groups.every(({ digits }) => /^[1-9]/u.test(digits));
}

/** Checks whether numbers are times, such as 0900-1800. */
const areTimes = ({ groups }: Candidate) =>
  groups.length > 1 && groups.every(({ digits }) => /^(?:[01]\d|2[0-4])[0-5]\d$/u.test(digits));

/** Checks whether numbers may be days or times, such as 9-12 14-18, 10:00 11:30 and 0900-1800. */
function areDaysOrTimes(candidate: Candidate): boolean {
  const { groups, gaps, isHidden } = candidate;
  if (isHidden) return false;
  if (areTimes(candidate)) return true;
  const max = gaps.includes(':') ? 59 : 31;
  return (
    groups.some(({ digits }) => digits.length === 2) &&
    groups.every(({ digits }) => digits.length <= 2 && Number(digits) <= max)
  );
}

/** Checks whether the words between the groups of digits may belong to a telephone number. */
function isReadOut(candidate: Candidate): boolean {
  if (candidate.isHidden || candidate.isFollowedByUnit) return candidate.isHidden;
  if (candidate.hasCueBefore) return true;
  return !candidate.endsWithYear && (candidate.isAlone || candidate.hasUsualWordGaps);
}

/** Checks ten digits, or eleven that begin with 1. */
function isNorthAmericanCandidate(candidate: Candidate): boolean {
  const { digits, groups, gaps } = candidate;
  const national = digits.slice(-10);
  if (!/^[2-9]/u.test(national)) return false;
  // In `only 1 girl, 702 555 0142`, the 1 is no country code.
  if (groups[0]?.digits === '1' && /\p{L}/u.test(gaps[0] ?? '')) return false;
  const isValid = isNorthAmerican(national);
  const boundaries = boundariesOf(groups).filter((position) => position < 10);
  if (boundaries.length === 0) return (isValid || candidate.hasCue) && !candidate.isIdentifier;
  if (isPriceList(candidate)) return false;
  // 702 555 0142, 702 5550142 and 702555 0142
  const isTypical = boundaries.every((position) => position === 7 || position === 4);
  const isSpelled = groups.every((group) => group.digits.length === 1);
  const isSplitAsUsual = boundaries.includes(7) && boundaries.includes(4);
  // In `250, seven zero two …` and `4, 7 0 2 …`, the number begins with the next group.
  if (candidate.isContinued && !isTypical && !(isSpelled && gaps[0] === gaps[1])) return false;
  // Some people write 702 555 01 42.
  const isInPairs = isSplitAsUsual && isValid && /^(?:1,)?3,3,2,2$/u.test(candidate.form);
  if (isInPairs && !candidate.hasWordGap && !candidate.isFollowedByUnit && gaps.every((gap) => gap.length <= 3))
    return true;
  if (isTypical || isSpelled || (isSplitAsUsual && candidate.isHidden)) {
    if (candidate.hasWordGap) return isValid && isReadOut(candidate);
    return isValid || gaps.every((gap) => PHONE_SEPARATOR.test(gap)) || candidate.hasCue;
  }
  if (!isValid || candidate.hasWordGap || areDaysOrTimes(candidate)) return false;
  if (candidate.isFollowedByUnit || candidate.isFollowedByConnector) return false;
  const isUniform = isSplitAsUsual || new Set(gaps).size === 1;
  return candidate.isHidden || candidate.hasCue || (isUniform && candidate.isAlone);
}

/** Checks a number without area code: three digits and four digits. */
function isLocalCandidate(candidate: Candidate): boolean {
  const { digits, groups, gaps, before } = candidate;
  if (!/^[2-9]\d{6}$/u.test(digits) || candidate.hasWordGap || isPriceList(candidate)) return false;
  if (groups.length === 1) return candidate.hasCue && !OTHER_NUMBER_BEFORE.test(before) && !candidate.isIdentifier;
  if (groups.length !== 2 || groups[0]?.digits.length !== 3 || (gaps[0]?.length ?? 0) > 3) return false;
  if (candidate.hasCue) return !CURRENCY_OR_UNIT_AFTER.test(candidate.after);
  const isPrice = groups.every((group) => /[05]0$/u.test(group.digits));
  const isPart = OTHER_NUMBER_BEFORE.test(before) || /[$€£\d]\s?$|\d[-/.]\s?$/u.test(before);
  return gaps[0] === '-' && !isPrice && !isPart && !candidate.isFollowedByUnit && !candidate.isFollowedByConnector;
}

/** Checks whether the groups of a number that begins with 0 are those of a telephone number, as in 079 123 45 67. */
function hasEuropeanGroups(candidate: Candidate): boolean {
  const { groups, gaps, isHidden } = candidate;
  if (groups.length === 1) return true;
  if (candidate.isSpelled || isHidden) return gaps.every((gap) => /^[^\p{L}\n]{0,5}$/u.test(gap));
  const isUsual =
    /^0\d{2,4}$/u.test(groups[0]?.digits ?? '') &&
    groups.every(({ digits }) => digits.length > 1) &&
    gaps.every((gap) => /^\)?[ /.'-]{1,3}$/u.test(gap));
  return isUsual || (/^2,2,2,2,2$/u.test(candidate.form) && new Set(gaps).size === 1);
}

/** Checks a number of a country in which numbers begin with 0. */
function isEuropeanCandidate(candidate: Candidate): boolean {
  const { digits, before, groups } = candidate;
  if (digits.length < 9 || digits.length > 13 || candidate.hasWordGap || areTimes(candidate)) return false;
  if (candidate.isIdentifier || (groups.length > 1 && candidate.isSequence)) return false;
  const isOther = OTHER_NUMBER_BEFORE.test(before) && !(groups.length > 1 && /(?:no|nr)[.:#\s]{0,3}$/iu.test(before));
  const hasForm = hasEuropeanGroups(candidate) && !areDaysOrTimes(candidate) && !isOther;
  if (!hasForm && !candidate.hasCue && !(candidate.isAlone && !areDaysOrTimes(candidate))) return false;
  return COUNTRIES_WITH_ZERO.some((country) => candidate.isNumber(digits, 'valid', country));
}

/** A mobile number of Switzerland or France. Digits after it, as in `079 123 45 67 30 Min`, are no part of it. */
const isMobileWithTenDigits = (candidate: Candidate) =>
  /^0[67]\d{8}$/u.test(candidate.digits) && !candidate.isContinued && hasEuropeanGroups(candidate);

function findEuropean(candidates: readonly Candidate[]): Candidate | undefined {
  const found = candidates.filter(({ digits }) => /^0[1-9]/u.test(digits)).filter(isEuropeanCandidate);
  return found.find(isMobileWithTenDigits) ?? found.at(-1);
}

/** Checks a number of Spain or Italy. It begins with another digit than 0, so it needs a cue or a line for itself. */
function isSouthernCandidate(candidate: Candidate): boolean {
  const { digits, before } = candidate;
  if (!/^(?:[6-9]\d{8}|3\d{8,9})$/u.test(digits) || candidate.hasWordGap || candidate.isContinued) return false;
  if (candidate.isIdentifier) return false;
  if (isPriceList(candidate) || areDaysOrTimes(candidate) || OTHER_NUMBER_BEFORE.test(before)) return false;
  const hasForm = candidate.isSpelled || SOUTHERN_GROUPS.test(candidate.form);
  const isAlone = candidate.isAlone && hasForm && /^[367]/u.test(digits);
  if (!isAlone && (!candidate.hasCue || candidate.isFollowedByUnit)) return false;
  return COUNTRIES_WITHOUT_ZERO.some((country) => candidate.isNumber(digits, 'valid', country));
}

/** Checks a number of Russia with 8 before the area code, as in `8 (921) 123-45-67`. */
function isRussianCandidate(candidate: Candidate): boolean {
  const { digits, form, gaps } = candidate;
  if (!/^8[3489]\d{9}$/u.test(digits) || candidate.hasWordGap) return false;
  const hasForm = /^1,3,(?:3,2,2|7|3,4)$/u.test(form);
  const isClear = gaps[0]?.includes('(') === true || form === '1,3,3,2,2';
  if (!candidate.hasCue && !(hasForm && (isClear || candidate.isAlone))) return false;
  return !isNorthAmerican(digits.slice(1)) && candidate.isNumber(digits, 'valid', 'RU');
}

/** Checks digits that are a number with country code but without a sign of it, as in `whatsapp 447700900123`. */
function isUnmarkedInternational(candidate: Candidate): boolean {
  const { digits, groups } = candidate;
  if (!/^[1-9]\d{10,12}$/u.test(digits)) return false;
  if (groups.length === 1)
    return candidate.hasCueBefore || (candidate.isAlone && candidate.isNumber(`+${digits}`, 'valid'));
  // In `text 34, 702 555 0142`, the first group is no country code.
  const code = groups[0]?.digits ?? '';
  if (code.length < 2 || code.length > 3 || isNorthAmerican(digits.slice(code.length))) return false;
  if (candidate.hasWordGap || isPriceList(candidate) || areDaysOrTimes(candidate)) return false;
  // 82-61-90 / 170 / 53 are measures.
  const hasForm = INTERNATIONAL_GROUPS.test(candidate.form);
  return (candidate.hasCue || (hasForm && candidate.isAlone)) && candidate.isNumber(`+${digits}`, 'valid');
}

/** Checks digits after a plus sign that are no valid number. Numbers of some countries have changed (Mexico: +52 1). */
const isMarkedNumber = (candidate: Candidate) =>
  /\+[\s(]{0,3}$/u.test(candidate.before) &&
  /^[1-9]\d{9,14}$/u.test(candidate.digits) &&
  candidate.gaps.every((gap) => /^[^\p{L}\n]{1,3}$/u.test(gap)) &&
  !isPriceList(candidate) &&
  !areDaysOrTimes(candidate);

/** Returns a number with country code, or null if there is no sign of one. */
function toInternational(candidate: Candidate): string | null {
  const { digits, before } = candidate;
  const isMarked = /\+[\s(]{0,3}$/u.test(before);
  if (!isMarked && !/^(?:00|011)[1-9]/u.test(digits)) return null;
  if (candidate.hasWordGap || areDaysOrTimes(candidate) || isPriceList(candidate)) return null;
  const number = isMarked ? digits : digits.replace(/^(?:00|011)/u, '');
  return number.length < 8 ? null : `+${number}`;
}

/**
 * Returns the candidates that begin with a group, from the shortest to the longest one. Numbers of other countries
 * begin with + or 0. Other numbers have seven, ten or eleven digits, those of Spain and Italy nine, and those with a
 * country code without a sign of it up to 13.
 */
function createCandidates(context: Context, chain: readonly Group[], from: number): readonly Candidate[] {
  const candidates: Candidate[] = [];
  const first = chain[from];
  const isForeign =
    first !== undefined &&
    (first.digits.startsWith('0') || first.digits.length > 10 || /\+[\s(]{0,3}$/u.test(first.gap));
  let length = 0;
  for (let to = from; to < chain.length && length < MAX_DIGITS; to += 1) {
    length += chain[to]?.digits.length ?? 0;
    const isUsual = length === 7 || length === 10 || length === 11;
    const isSouthern = length === 9 && /^[36-9]/u.test(first?.digits ?? '');
    const isWithCode = length > 10 && length <= 13 && /^[1-9]\d{1,2}$/u.test(first?.digits ?? '');
    if (isUsual || isSouthern || isWithCode || (isForeign && length > 7 && length <= MAX_DIGITS))
      candidates.push(new Candidate(context, chain.slice(from, to + 1), chain[to + 1]));
  }
  return candidates;
}

/** Returns the number of groups that are one telephone number from a position of a chain on, or 0. */
function countGroups(context: Context, chain: readonly Group[], from: number): number {
  const candidates = createCandidates(context, chain, from);
  const international = candidates.flatMap((candidate) => {
    const number = toInternational(candidate);
    return number === null ? [] : [{ candidate, number }];
  });
  const found =
    international.findLast(({ candidate, number }) => candidate.isNumber(number, 'valid'))?.candidate ??
    candidates.find(
      (candidate) => /^(?:\d{10}|1\d{10})$/u.test(candidate.digits) && isNorthAmericanCandidate(candidate),
    ) ??
    international.findLast(({ candidate, number }) => candidate.isNumber(number, 'possible'))?.candidate ??
    findEuropean(candidates) ??
    candidates.find((candidate) => isMarkedNumber(candidate) || isUnmarkedInternational(candidate)) ??
    candidates.findLast((candidate) => isSouthernCandidate(candidate) || isRussianCandidate(candidate)) ??
    candidates.find((candidate) => candidate.digits.length === 7 && isLocalCandidate(candidate));
  return found?.groups.length ?? 0;
}

/** Includes the brackets and the plus sign around a number. */
function extend(text: string, start: number, end: number): readonly [start: number, end: number] {
  const before = /[+([]{1,3}\s?$/u.exec(text.slice(Math.max(0, start - 4), start))?.[0] ?? '';
  const isOpen = /[([]/u.test(text.slice(start - before.length, end)) && /^[)\]]/u.test(text.slice(end, end + 1));
  return [start - before.length, isOpen ? end + 1 : end];
}

/** Returns the ranges of telephone numbers in a readable text. */
export function findPhoneNumbers(text: string): readonly (readonly [start: number, end: number])[] {
  const found = Array.from(text.matchAll(KEYPAD_WORD), ({ 0: match, 1: number = '', index }) => {
    const end = index + match.length;
    return [end - number.length, end] as const;
  });
  const chains = findDigitGroups(text).filter((chain) => countDigits(chain) >= 7);
  if (chains.length === 0) return found;
  const cueEnds = Array.from(text.matchAll(CUE), ({ 0: cue, index }) => index + cue.length);
  const context: Context = { text, cueEnds, checks: 0 };
  for (const chain of chains) {
    for (let from = 0; from < chain.length; ) {
      const count = countGroups(context, chain, from);
      const [first, last] = [chain[from], chain[from + count - 1]];
      if (count > 0 && first && last) found.push(extend(text, first.start, last.end));
      from += Math.max(1, count);
    }
  }
  return found;
}
