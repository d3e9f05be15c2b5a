import { expect, test } from 'vitest';
import { formatPrice } from '../src/contracts/format-price.ts';

test.each([
  [null, null],
  ['  ', null],
  ['200', '$200'],
  ['200 / h', '$200/h'],
  ['1,200 / night', '$1,200/night'],
  ['150 to 200', '$150 to 200'],
  ['$200/hour', '$200/hour'],
  ['$ 200 / h', '$200/h'],
  ['$200/$350', '$200/350'],
  ['$2k', '$2k'],
  ['C$200', 'C$200'],
  ['$200 CAD', '$200 CAD'],
  ['200 or €180', '200 or €180'],
  ['200$', '200$'],
  ['€180', '€180'],
  ['180 CHF / h', '180 CHF/h'],
  ['200 dollars', '200 dollars'],
  ['1500', '$1500'],
  ['1.500', '$1,500'],
  ["1'500 / night", '$1,500/night'],
  ['1 500', '$1,500'],
  ['1\u00A0500/h', '$1,500/h'],
  ['1 500 €', '1,500 €'],
  ['€1.500,50', '€1,500.50'],
  ['$150,50', '$150.50'],
  ['1.500,50', '$1,500.50'],
  ['150.-', '$150'],
  ["CHF 1'500.-", 'CHF 1,500'],
  ['$1.500 - $2.500', '$1,500 - 2,500'],
  ['200/2.5h', '$200/2.5h'],
  ['150 200 300', '$150 200 300'],
  ['150,200,300', '$150,200,300'],
  ['1,50,000', '$1,50,000'],
  ['0.500', '0.500'],
  ['15min 80 30 120', '$15min 80 30 120'],
  ['from 1.500', 'from 1,500'],
  ['1,5k', '$1.5k'],
  ['1234567890123456.50', '$1,234,567,890,123,456.50'],
  ['on request', 'on request'],
  ['from 200', 'from 200'],
])('the price %j is shown as %j', (price, shown) => {
  expect(formatPrice(price, 'en-US')).toBe(shown);
});

test.each([
  ['200 / h', '200\u00A0$/h'],
  ['1,200 / night', '1’200\u00A0$/night'],
  ['1 500', '1’500\u00A0$'],
  ['1 500/h', '1’500\u00A0$/h'],
  ['1.500', '1’500\u00A0$'],
  ['1.500,50', '1’500.50\u00A0$'],
  ['150.-/h', '150\u00A0$/h'],
  ['1500', '1500\u00A0$'],
  ['200/350/500', '200/350/500\u00A0$'],
  ['200 - 300', '200 - 300\u00A0$'],
  ['180 CHF / h', '180 CHF/h'],
  ['from 200', 'from 200'],
  ['$200/h', '200\u00A0$/h'],
  ['$ 200', '200\u00A0$'],
  ['$200/350/500', '200/350/500\u00A0$'],
  ['$200 - $300 / h', '200 - 300\u00A0$/h'],
  ['$1,200 a night', '1’200\u00A0$ a night'],
  ['$2k', '2k\u00A0$'],
  ['$200 CAD', '$200 CAD'],
  ['$200/h, 300 CHF/h', '$200/h, 300 CHF/h'],
  ['$200/h or $300/2h', '$200/h or $300/2h'],
  ['C$200', 'C$200'],
  ['from $200', 'from $200'],
  ['€200/h', '€200/h'],
])('in German, the dollar sign of %j follows the amounts: %j', (price, shown) => {
  expect(formatPrice(price, 'de-CH')).toBe(shown);
});

test('the separators of French are a narrow space and a comma', () => {
  expect(formatPrice("1'500.50", 'fr-CH')).toBe('1\u202F500,50\u00A0$');
});

test.each(['Massage on request', 'Not on request', 'on request only'])('%j stays unchanged', (price) => {
  expect(formatPrice(price, 'de-CH')).toBe(price);
});

test('a price on request is in the language of the visitor', () => {
  for (const price of [
    ...[
      'on request',
      'On request',
      'auf Anfrage',
      'on request.',
      'Price on request',
      'Price: on request',
      'Upon request',
    ],
    ...[
      'Preis auf Anfrage',
      'Preise auf Anfrage!',
      'Prix sur demande',
      'Prix\u00A0: sur demande',
      'Prezzo su richiesta',
      'Rates on request',
    ],
  ])
    expect(['en-US', 'de-CH', 'fr-CH', 'it-CH'].map((locale) => formatPrice(price, locale))).toEqual([
      'on request',
      'auf Anfrage',
      'sur demande',
      'su richiesta',
    ]);
});
