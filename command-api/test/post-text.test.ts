import { expect, test } from 'vitest';
import { parsePostText } from '../src/routes/community/post-text.ts';

test.each([
  ['a horizontal rule', '***'],
  ['an empty list', '- \n- '],
  ['only a link definition', '[a]: https://example.com'],
  ['zero-width spaces', '\u200b\u2060\ufeff'],
  ['filler characters', '\u3164\u115f \u2800'],
  ['soft hyphens and joiners', '&shy;\u00ad&zwnj;'],
])('a text that shows nothing is rejected: %s', (_what, text) => {
  expect(() => parsePostText(text)).toThrow(
    expect.objectContaining({ code: 'REQUIRED_FIELDS', fields: { body: 'Please fill in all required fields' } }),
  );
});
