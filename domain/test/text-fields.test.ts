import { describe, expect, test } from 'vitest';
import { newAdFields } from '../src/listing/fields.ts';
import { optionalText, REQUIRED_FIELDS_MESSAGE, requiredText } from '../src/text-fields.ts';

const required = requiredText('Title', 120);
const optional = optionalText('Price', 40);

describe('a text', () => {
  test.each([
    ['a direction override', 'Calm \u202Emlac', 'Calm mlac'],
    ['an isolate that ends the isolation of the page', 'Calm\u2069', 'Calm'],
    ['more than eight combining marks on a letter', `Z${'\u0300'.repeat(30)}oe`, `Z${'\u0300'.repeat(8)}oe`],
    ['marks that a format character separates', `a${'\u0300\u200B'.repeat(9)}b`, `a${'\u0300\u200B'.repeat(8)}\u200Bb`],
  ])('loses %s', (_what, text, expected) => {
    expect(required.parse(text)).toBe(expected);
    expect(optional.parse(text)).toBe(expected);
  });

  test.each(['Zoë', 'مريم', 'נָעֳמִי', 'प्रीति', '👩‍👧 ❤️', '한글', 'ทิ้ง'])('keeps %s as it is', (text) => {
    expect(required.parse(text)).toBe(text);
    expect(optional.parse(text)).toBe(text);
  });

  test.each(['\u200B', '\u200B \u2060\uFEFF', '\u3164', '\u2800', '\u00AD', '\u0301', '\u202E'])(
    'of invisible characters counts as empty (%j)',
    (text) => {
      expect(required.safeParse(text).error?.issues[0]?.message).toBe(REQUIRED_FIELDS_MESSAGE);
      expect(optional.parse(text)).toBeNull();
    },
  );
});

test('an ad needs a visible name', () => {
  const { error } = newAdFields.safeParse({
    name: '\u200B\u200B',
    title: 'Calm evening',
    category: 'massage',
    state: 'NV',
    city: 'Reno',
    description: 'A calm evening.',
  });
  expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
    ['name', REQUIRED_FIELDS_MESSAGE],
  ]);
});
