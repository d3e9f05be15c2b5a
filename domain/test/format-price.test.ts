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
  ['200$', '200$'],
  ['€180', '€180'],
  ['180 CHF / h', '180 CHF/h'],
  ['200 dollars', '200 dollars'],
  ['on request', 'on request'],
  ['from 200', 'from 200'],
])('the price %j is shown as %j', (price, shown) => {
  expect(formatPrice(price)).toBe(shown);
});
