import { describe, expect, test } from 'vitest';
import { newAdFields } from '../src/listing/fields.ts';
import { optionalLine, optionalText, REQUIRED_FIELDS_MESSAGE, requiredLine, requiredText } from '../src/text-fields.ts';

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

  test.each(['\u000B', '\u000C', '\u0085'])('has a line break instead of %j of a word processor', (character) => {
    expect(required.parse(`First line${character}second`)).toBe('First line\nsecond');
    expect(optional.parse(`First line${character}second`)).toBe('First line\nsecond');
  });
  test.each(['\u000B', '\u000C', '\u0085', '\u2028', '\t', '\r\n'])(
    'on one line has a space instead of %j',
    (character) => {
      expect(requiredLine('Title', 120).parse(`First${character}second`)).toBe('First second');
      expect(optionalLine('Name', 60).parse(`First${character}second`)).toBe('First second');
    },
  );
  test.each([
    ['Calm\u0000', 5],
    ['\uD800Calm', 1],
    ['👩 \u0007', 3],
    ['   Ti\u0007', 6],
    ['\u202E A  \u0007', 6],
    ['a\u0093b', 2],
  ])('with an unusable character is rejected, with its position in the entered text: %j', (text, position) => {
    const message = `Title contains a character that cannot be displayed at position ${position}`;
    for (const schema of [required, optionalText('Title', 40), requiredLine('Title', 40), optionalLine('Title', 40)])
      expect(schema.safeParse(text).error?.issues.map((issue) => issue.message)).toEqual([message]);
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
