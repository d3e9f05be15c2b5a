import { describe, expect, test } from 'vitest';
import type { Projection } from '../src/projection.ts';
import { verificationCodes as projection } from '../src/projections/verification-codes.ts';
import { minutesLater, project } from './project.ts';
import { SAMPLES } from './samples.ts';

const codes = projection as unknown as Projection;
const issued = SAMPLES.EmailVerificationIssued;
const failed = SAMPLES.EmailVerificationFailed;

describe('verification codes', () => {
  test('EmailVerificationIssued creates a row', () => {
    expect(project(codes, issued)).toEqual({
      anna: {
        account_id: 'anna',
        issuance_id: 'i1',
        issued_at: minutesLater(0),
        expires_at: issued.data.expiresAt,
        failures: 0,
      },
    });
  });
  test('a second EmailVerificationIssued replaces the code and resets its failures', () => {
    const again = { ...issued, data: { ...issued.data, issuanceId: 'i9' } };
    expect(project(codes, issued, failed, again)['anna']).toMatchObject({
      issuance_id: 'i9',
      failures: 0,
      issued_at: minutesLater(2),
    });
  });
  test('EmailVerificationFailed increments the failures', () => {
    expect(project(codes, issued, failed, failed)['anna']).toMatchObject({ failures: 2 });
  });
  test('EmailVerificationFailed of another code changes nothing', () => {
    expect(project(codes, issued, { ...failed, data: { ...failed.data, issuanceId: 'i0' } })['anna']).toMatchObject({
      failures: 0,
    });
  });
  test('EmailVerificationFailed without a row creates none', () => {
    expect(project(codes, failed)).toEqual({});
  });
  test.each([SAMPLES.EmailVerified, SAMPLES.EmailVerificationCleared, SAMPLES.AccountClosed])(
    '$type removes the row',
    (event) => {
      expect(project(codes, issued, event)).toEqual({});
    },
  );
  test('SignUpRepeated creates no row', () => {
    expect(project(codes, SAMPLES.SignUpRepeated)).toEqual({});
  });
});
