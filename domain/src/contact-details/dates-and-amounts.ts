import type { Range } from './ranges.ts';

const DATE = /(?:19|20)\d\d([-/.])\d\d?\1\d\d?(?!\1?\d)|\d\d?([-/.])\d\d?\2(?:(?:19|20)\d\d|\d\d)(?!\2?\d)/gu;
const TIME = /(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?(?!:?\d)/gu;
/** An amount with cents, such as 250.00. */
const AMOUNT = /\d{1,4}[.,](?:00|50|95|99)(?![.,]?\d)/gu;

/** A latitude and a longitude, such as 36.1699, -115.1398. */
const COORDINATES = /\d{1,2}\.\d{4,8}°?[\s,;/]{1,3}-?\d{1,3}\.\d{4,8}(?![.\d])/gu;
const MAX_LATITUDE = 90;
const MAX_LONGITUDE = 180;
/** The number of a bank account, such as CH93 0076 2011 6238 5295 7. */
const IBAN = /(?<![\p{L}\d])[A-Z]{2}\d{2}(?:\s?[\dA-Z]{4}){2,7}(?:\s?[\dA-Z]{1,3})?(?![\p{L}\d])/gu;
/** A telephone number with country code has at most 15 digits, and most have fewer. */
const MIN_IBAN_DIGITS = 12;

/** The years of dates with two digits. */
const MIN_YEAR = 20;
const MAX_YEAR = 39;

/** Checks whether three numbers are a day, a month and a year, or a year, a month and a day. */
function isDate(date: string): boolean {
  const parts = date.split(/[-/.]/u);
  const isYearFirst = parts[0]?.length === 4;
  const [year = '', ...rest] = isYearFirst ? parts : [parts[2] ?? '', parts[0] ?? '', parts[1] ?? ''];
  const [first = 0, second = 0] = rest.map(Number);
  const isYear = year.length === 4 || (Number(year) >= MIN_YEAR && Number(year) <= MAX_YEAR);
  const smaller = Math.min(first, second);
  return isYear && smaller >= 1 && smaller <= 12 && Math.max(first, second) <= 31;
}

/** Checks whether two numbers are a latitude and a longitude. */
function isPlace(coordinates: string): boolean {
  const [latitude = 0, longitude = 0] = coordinates
    .split(/[\s,;/]+/u)
    .map((part) => Number(part.replaceAll(/[-°]/gu, '')));
  return latitude <= MAX_LATITUDE && longitude <= MAX_LONGITUDE;
}

/** Checks whether a digit before a range, with or without a separator, makes it a part of a longer number. */
function isContinued(text: string, start: number, separator: string): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  return /\d$/u.test(before) || (/^\d/u.test(before) && before.endsWith(separator));
}

/**
 * Returns the ranges of dates with a year, times with a colon, amounts with cents, coordinates and numbers of bank
 * accounts in a text, in their order.
 */
export function findDatesAndAmounts(text: string): readonly Range[] {
  const ranges: Range[] = [];
  const add = (pattern: RegExp, isMatch: (match: string) => boolean) => {
    for (const { 0: match, index } of text.matchAll(pattern)) {
      const separator = /\D/u.exec(match)?.[0] ?? '';
      if (isMatch(match) && !isContinued(text, index, separator)) ranges.push([index, index + match.length]);
    }
  };
  add(DATE, isDate);
  add(TIME, () => true);
  add(AMOUNT, () => true);
  add(IBAN, (account) => account.replaceAll(/\D/gu, '').length > MIN_IBAN_DIGITS);
  add(COORDINATES, isPlace);
  return ranges.sort(([first], [second]) => first - second);
}
