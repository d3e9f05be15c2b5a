import { RECOVERY_CODE_COUNT } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { newRecoveryCodes, newTwoStepSecret, twoStepCodes, twoStepUri } from '../src/security/two-step-codes.ts';

/** Secret of RFC 6238, appendix B, in base32. The expected codes below are from the same appendix. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('codes of an authenticator app', () => {
  test.each([
    ['1970-01-01T00:00:59.000Z', '287082', 1],
    ['2005-03-18T01:58:29.000Z', '081804', 37_037_036],
  ])('at %s match RFC 6238', (now, code, step) => {
    expect(twoStepCodes.findTimeStep(SECRET, code, now, 0)).toBe(step);
  });
  test('are accepted one step before and after, no longer', () => {
    const at = (seconds: number) =>
      twoStepCodes.findTimeStep(
        SECRET,
        '081804',
        new Date(Date.parse('2005-03-18T01:58:29.000Z') + seconds * 1000).toISOString(),
        0,
      );
    expect([at(-30), at(30)]).toEqual([37_037_036, 37_037_036]);
    expect([at(-61), at(61)]).toEqual([null, null]);
  });
  test('are accepted only for steps after the last used one', () => {
    const after = (step: number) => twoStepCodes.findTimeStep(SECRET, '081804', '2005-03-18T01:58:29.000Z', step);
    expect(after(37_037_035)).toBe(37_037_036);
    expect(after(37_037_036)).toBeNull();
  });
  test.each(['', '08180', '0818040', 'abcdef', '08 804'])('%j is not a code', (code) => {
    expect(twoStepCodes.findTimeStep(SECRET, code, '2005-03-18T01:58:29.000Z', 0)).toBeNull();
  });
});

test('a secret has 160 bits, and its URI contains the secret and the label', () => {
  const secret = newTwoStepSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/u);
  expect(newTwoStepSecret()).not.toBe(secret);
  const uri = new URL(twoStepUri(secret, 'anna@example.com'));
  expect(uri.protocol).toBe('otpauth:');
  expect(decodeURIComponent(uri.pathname)).toContain('Alpenglow:anna@example.com');
  expect(uri.searchParams.get('secret')).toBe(secret);
});

test('recovery codes are all different, and have the same hash with or without hyphens', () => {
  const codes = newRecoveryCodes();
  expect(codes).toHaveLength(RECOVERY_CODE_COUNT);
  expect(new Set(codes).size).toBe(RECOVERY_CODE_COUNT);
  for (const code of codes) expect(code).toMatch(/^[a-z2-7]{4}(?:-[a-z2-7]{4}){3}$/u);
  const [code = ''] = codes;
  expect(twoStepCodes.hashRecoveryCode('anna', code.replaceAll('-', ''))).toBe(
    twoStepCodes.hashRecoveryCode('anna', code),
  );
  expect(twoStepCodes.hashRecoveryCode('ben', code)).not.toBe(twoStepCodes.hashRecoveryCode('anna', code));
});
