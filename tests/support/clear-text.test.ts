import { expect, test } from 'vitest';
import { findInText } from './clear-text.ts';
import { randomNumbers } from './random.ts';

/** The positions in base64 depend on the bytes before the value. */
const base64At = (value: string, before: number) =>
  Buffer.concat([Buffer.alloc(before, 7), Buffer.from(value), Buffer.alloc(3, 9)]).toString('base64');

test('findInText finds values as text in any case, as hex and as base64 at any offset', () => {
  const value = 'Zoë Müller-Krüger';
  const hidden = [
    value,
    value.toUpperCase(),
    Buffer.from(value).toString('hex'),
    ...[0, 1, 2, 3].map((before) => base64At(value, before)),
  ];
  for (const text of hidden)
    for (const around of [text, `${text} after`, `before ${text}`, `before ${text} after`])
      expect(findInText('table', around, ['Other Name', value])).toEqual([`table: ${value}`]);
  expect(findInText('table', value.slice(1), [value])).toEqual([]);
  expect(findInText('table', '', [value])).toEqual([]);
});

test('findInText finds short values, repeated values, and values that begin or end alike', () => {
  const values = ['ab', 'same name a', 'same name b', 'same name a', 'a@example.com', 'b@example.com', 'absent name'];
  expect(findInText('file', 'x same name a, b@example.com', values)).toEqual([
    'file: same name a',
    'file: same name a',
    'file: b@example.com',
  ]);
  expect(findInText('file', 'xaBx', values)).toEqual(['file: ab']);
});

test('findInText finds the same values as a search for each of them', () => {
  const random = randomNumbers(5);
  const word = (length: number) => Array.from({ length }, () => 'abc'[Math.floor(random() * 3)]).join('');
  for (let round = 0; round < 50; round += 1) {
    const text = word(2_000);
    const values = Array.from({ length: 100 }, () => word(2 + Math.floor(random() * 12)));
    expect(findInText('text', text, values)).toEqual(
      values.filter((value) => text.includes(value)).map((value) => `text: ${value}`),
    );
  }
});
