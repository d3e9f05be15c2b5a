import { describe, expect, test } from 'vitest';
import { parseAmount } from '../../src/listing/amounts.ts';
import { PRICE_AMOUNT_MAX, parsePriceAmount } from '../../src/listing/price-amount.ts';

const NO_BREAK = '\u00A0';
const NARROW = '\u202F';
const THIN = '\u2009';

/** Amounts as people write them. They mean the same alone and within the price of an ad. */
const AMOUNTS = [
  ['200', 200],
  ['$200', 200],
  ['200$', 200],
  ['0', 0],
  ['1500', 1500],
  ['1.500', 1500],
  ['1,500', 1500],
  ["1'500", 1500],
  ['1’500', 1500],
  ['1‘500', 1500],
  ['1´500', 1500],
  ['1`500', 1500],
  ['1 500', 1500],
  [`1${NO_BREAK}500`, 1500],
  [`1${NARROW}500`, 1500],
  [`1${THIN}500`, 1500],
  ['1 500 €', 1500],
  [`1${NARROW}500${NO_BREAK}€`, 1500],
  ['€ 1.500', 1500],
  ['€1.500,00', 1500],
  ['1.500,50', 1500.5],
  ['1,500.50', 1500.5],
  ['1’500.50', 1500.5],
  ['1 500,50', 1500.5],
  ['$150,50', 150.5],
  ['150.50', 150.5],
  ['150.5', 150.5],
  ['1,20', 1.2],
  ['12.500', 12_500],
  ['12 500', 12_500],
  ['150,000', 150_000],
  ['1.500.000', 1_500_000],
  ['1 500 000', 1_500_000],
  ['1,500,000.25', 1_500_000.25],
  ['150.-', 150],
  ['1’500.–', 1500],
  ['1.500,--', 1500],
  ["CHF 1'500.-", 1500],
  ['Fr. 200.-', 200],
  ['Fr. 200.–', 200],
  ['200 Fr.', 200],
  ['200 Fr', 200],
  ['200 sFr.', 200],
  ['200 francs', 200],
  ['200 Franken', 200],
  ['200 franchi', 200],
  ['EUR 1.500', 1500],
  ['1.500 EUR', 1500],
  ['1,500 dollars', 1500],
  ['US$ 1,500', null],
  ['2k', 2000],
  ['$1.5k', 1500],
  ['1,5k', 1500],
] as const;

test.each(AMOUNTS)('the amount %j is %j', (text, amount) => {
  expect(parseAmount(text)).toBe(amount);
});

test.each(['', 'free', '-5', '1e3', '150 to 200', '1.5000', '0.500', '200/h', '$', '1.500k2'])(
  '%j is no single amount',
  (text) => {
    expect(parseAmount(text)).toBeNull();
  },
);

describe('the price of an ad', () => {
  test.each(AMOUNTS)('%j counts as the whole dollars of %j', (text, amount) => {
    if (amount !== null) {
      for (const price of [text, `${text} / h`, `from ${text}`, `${text} - ${text}`])
        expect(parsePriceAmount(price), price).toBe(Math.floor(amount));
    }
  });

  test.each([
    [null, null],
    ['on request', null],
    ['abc', null],
    ['US$ 1,500', 1500],
    ['$1,200 / night', 1200],
    ["CHF 1'500.50", 1500],
    ['from 150 to 300', 150],
    ['150/200/300', 150],
    ['150, 200, 300', 150],
    ['150,200,300', 150],
    ['150 200 300', 150],
    ['150 200', 150],
    ['50 100 150', 50],
    ['1 702 555 0199', 1],
    ['1.500 2.500', 1500],
    ['1 500 2 500', 1500],
    ['1.500/2.500', 1500],
    ['30 150 60 250', 30],
    ['15 100/30 150', 15],
    ['150,200,300', 150],
    ['2 k', 2000],
    ['0.500', 0],
    ['2 km', 2],
    ['٢٠٠', 200],
    ['１５００', 1500],
    ['99999999999999', PRICE_AMOUNT_MAX],
    ['24/7 200', 200],
    ['200 24/7', 200],
    ['24 / 7, 200', 200],
    ['24h/24 7j/7 200', 200],
    ['7/7 200', 200],
    ['24x7 200', 200],
    ['H24 200', 200],
    ['24/7', null],
    ['24/7 Fr. 1 200', 1200],
    ['124/7', 124],
    ['24/75', 24],
    ['24/70/100', 24],
    ['1h 200', 200],
    ['2 hours: 400', 400],
    ['15min 80 30 120', 80],
    ['30 min. 100, 1 Std. 200', 100],
    ['200/h', 200],
    ['200h 350 2h', 200],
    ['2h', 2],
  ])('%j counts as %j', (price, amount) => {
    expect(parsePriceAmount(price)).toBe(amount);
  });

  /** The separators of thousands and decimals that are used together. */
  const STYLES = [
    [',', '.'],
    ['.', ','],
    ["'", '.'],
    ['’', '.'],
    [' ', ','],
    [NO_BREAK, ','],
    [NARROW, ','],
    ['', '.'],
    ['', ','],
  ] as const;
  const SIGNS = [
    ['', ''],
    ['$', ''],
    ['$ ', ''],
    ['', ' €'],
    ['', '€'],
    ['CHF ', ''],
  ] as const;

  test.each(STYLES)('with %j for thousands and %j for decimals', (thousands, decimals) => {
    for (let whole = 1; whole < 100_000; whole = Math.ceil(whole * 1.37)) {
      const digits = String(whole).replaceAll(/\B(?=(?:\d{3})+$)/gu, thousands);
      for (const cents of ['', '00', '50', '99'])
        for (const [before, after] of SIGNS) {
          const price = `${before}${digits}${cents && decimals}${cents}${after}`;
          expect(parseAmount(price), price).toBe(Number(`${whole}.${cents}`));
          expect(parsePriceAmount(price), price).toBe(whole);
          expect(parsePriceAmount(`${price} / night`), price).toBe(whole);
        }
    }
  });

  test('any text has an amount or none', () => {
    const characters = [...`0159.,'’ ${NO_BREAK}$€-/kK`];
    let seed = 7;
    const next = (max: number) => (seed = (seed * 48_271) % 2_147_483_647) % max;
    for (let number = 0; number < 5_000; number += 1) {
      const text = Array.from({ length: next(12) }, () => characters[next(characters.length)]).join('');
      const amount = parsePriceAmount(text);
      expect(amount === null, text).toBe(!/\d/u.test(text));
      if (amount !== null) {
        expect(Number.isInteger(amount), text).toBe(true);
        expect(amount, text).toBeGreaterThanOrEqual(0);
        expect(amount, text).toBeLessThanOrEqual(PRICE_AMOUNT_MAX);
      }
    }
  });
});

test.each(['150 200 300', '150,200,300', '150 200', '12 00', "1'5", '1,50,000', '0.500'])(
  '%j is not one amount',
  (text) => {
    expect(parseAmount(text)).toBeNull();
  },
);
