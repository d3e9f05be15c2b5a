import { expect, test } from 'vitest';
import { applyValue } from '../src/lists/use-typed-text.ts';

test('an earlier text that comes back does not replace the text that was typed since', () => {
  expect(applyValue({ text: 'quiet even', reported: ['quiet eve'] }, 'quiet eve')).toEqual({
    text: 'quiet even',
    reported: [],
  });
});

test('an earlier text that comes back does not remove the space at the end of the field', () => {
  expect(applyValue({ text: 'quiet ', reported: ['quiet'] }, 'quiet')).toEqual({ text: 'quiet ', reported: [] });
});

test('a text that comes back removes itself and earlier texts from the reported texts', () => {
  const field = { text: 'abcd', reported: ['a', 'ab', 'abc'] };
  expect(applyValue(field, 'ab')).toEqual({ text: 'abcd', reported: ['abc'] });
});

test('a value that was not reported by the field replaces the text', () => {
  expect(applyValue({ text: 'quiet even', reported: [] }, '')).toEqual({ text: '', reported: [] });
  expect(applyValue({ text: 'quiet even', reported: ['quiet eve'] }, 'spa')).toEqual({ text: 'spa', reported: [] });
});
