import { describe, expect, test } from 'vitest';
import { extractCode, cleanTypedCode } from '../src/pages/auth/extract-code.ts';

describe('the code in a text', () => {
  test.each([
    ['123456', '123456'],
    ['123 456', '123456'],
    ['123-456', '123456'],
    ['123\u00A0456', '123456'],
    ['123–456', '123456'],
    ['1 2 3 4 5 6', '123456'],
    ['  123456\n', '123456'],
    ['Your code is 012 345. It is good for 15 minutes.', '012345'],
    ['On 21.11.2026: 654321 (Alpenglow)', '654321'],
    ['"code": "000001"', '000001'],
    ['12-34-56', '123456'],
  ])('%j contains %s', (text, code) => expect(extractCode(text)).toBe(code));

  test.each([['12345'], ['1234567'], ['123  456'], ['no digits'], [''], ['12 34'], ['+1 888 373 7888']])(
    '%j contains none',
    (text) => expect(extractCode(text)).toBeNull(),
  );
});

describe('the value of the code field', () => {
  test.each([
    ['1', '1'],
    ['12 3', '123'],
    ['123 456', '123456'],
    ['1234567', '123456'],
    ['abc', ''],
    ['code: 123456', '123456'],
  ])('%j becomes %j', (typed, value) => expect(cleanTypedCode(typed)).toBe(value));
});
