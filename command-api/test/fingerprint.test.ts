import { expect, test } from 'vitest';
import { computeFingerprint } from '../src/routes/community/fingerprint.ts';

const TEXT = 'Something new: tea rooms by the lake.';

test.each([
  ['in capitals', TEXT.toUpperCase()],
  ['with invisible filler letters', [...TEXT].join('\u3164')],
  ['with other spaces and punctuation', TEXT.replaceAll(' ', '  \n').replaceAll('.', '!!!')],
  [
    'in full-width letters',
    TEXT.replaceAll(/[a-z]/gu, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)),
  ],
  ['with zero-width spaces', [...TEXT].join('\u200b')],
])('a text has the same fingerprint %s', (_how, changed) => {
  expect(computeFingerprint(changed)).toBe(computeFingerprint(TEXT));
});

test('texts of other words or other symbols have other fingerprints', () => {
  expect(computeFingerprint(`${TEXT} Really.`)).not.toBe(computeFingerprint(TEXT));
  expect(computeFingerprint('👍👍')).not.toBe(computeFingerprint('👍'));
});
