import { RECOVERY_CODES } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { newRecoveryCodes, newTwoStepSecret, twoStepCodes, twoStepUri } from '../src/two-step-codes.ts';

/** RFC 6238, appendix B: '12345678901234567890' in base32, and what it makes of 1970-01-01T00:00:59Z and 2005-03-18T01:58:29Z. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('codes of an authenticator app', () => {
  test.each([
    ['1970-01-01T00:00:59.000Z', '287082', 1],
    ['2005-03-18T01:58:29.000Z', '081804', 37_037_036],
  ])('at %s are those of RFC 6238', (now, code, step) => {
    expect(twoStepCodes.timeStepOf(SECRET, code, now, 0)).toBe(step);
  });
  test('are taken a step before and after, no longer', () => {
    const at = (seconds: number) =>
      twoStepCodes.timeStepOf(
        SECRET,
        '081804',
        new Date(Date.parse('2005-03-18T01:58:29.000Z') + seconds * 1000).toISOString(),
        0,
      );
    expect([at(-30), at(30)]).toEqual([37_037_036, 37_037_036]);
    expect([at(-61), at(61)]).toEqual([null, null]);
  });
  test('are taken after the step that was used last alone', () => {
    const after = (step: number) => twoStepCodes.timeStepOf(SECRET, '081804', '2005-03-18T01:58:29.000Z', step);
    expect(after(37_037_035)).toBe(37_037_036);
    expect(after(37_037_036)).toBeNull();
  });
  test.each(['', '08180', '0818040', 'abcdef', '08 804'])('%j is none', (code) => {
    expect(twoStepCodes.timeStepOf(SECRET, code, '2005-03-18T01:58:29.000Z', 0)).toBeNull();
  });
});

test('a secret is 160 bits, and an app reads it with its label', () => {
  const secret = newTwoStepSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/u);
  expect(newTwoStepSecret()).not.toBe(secret);
  const uri = new URL(twoStepUri(secret, 'anna@example.com'));
  expect(uri.protocol).toBe('otpauth:');
  expect(decodeURIComponent(uri.pathname)).toContain('Alpenglow:anna@example.com');
  expect(uri.searchParams.get('secret')).toBe(secret);
});

test('recovery codes are many, all different, and known by their hash with or without hyphens', () => {
  const codes = newRecoveryCodes();
  expect(codes).toHaveLength(RECOVERY_CODES);
  expect(new Set(codes).size).toBe(RECOVERY_CODES);
  for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(?:-[a-z2-7]{4}){3}$/u);
  const [code = ''] = codes;
  expect(twoStepCodes.recoveryCodeHash('anna', code.replaceAll('-', ''))).toBe(
    twoStepCodes.recoveryCodeHash('anna', code),
  );
  expect(twoStepCodes.recoveryCodeHash('ben', code)).not.toBe(twoStepCodes.recoveryCodeHash('anna', code));
});
