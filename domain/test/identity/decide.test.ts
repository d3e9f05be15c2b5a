import { describe, expect, test } from 'vitest';
import { decideIdentityCheck, destroyIdentityEvidence, requestIdentityCheck } from '../../src/identity/decide.ts';
import type { IdentityEvent } from '../../src/identity/events.ts';
import { identity, type IdentityState } from '../../src/identity/state.ts';
import { AT, given as givenOf } from '../given.ts';

const given = givenOf(identity);
const anna = {
  accountId: 'anna',
  userType: 'provider' as const,
  emailVerified: true,
  verifiedByAdmin: false,
  registeredAt: AT,
};
const requested = (checkId = 'c1'): IdentityEvent => ({
  type: 'IdentityCheckRequested',
  data: { accountId: 'anna', checkId, files: 2 },
});
const decided = (isAccepted: boolean): IdentityEvent => ({
  type: 'IdentityCheckDecided',
  data: { accountId: 'anna', checkId: 'c1', isAccepted, reason: 'Seen' },
});
const destroyed: IdentityEvent = { type: 'IdentityEvidenceDestroyed', data: { accountId: 'anna', checkId: 'c1' } };
const asking =
  (changes: Partial<typeof anna> | { userType: 'client' } = {}, checkId = 'c1') =>
  (state: IdentityState) =>
    requestIdentityCheck({ checkId, files: 2 }, { ...anna, ...changes }, state);
const deciding =
  (isAccepted: boolean, owner: { registeredAt: string } | null = anna) =>
  (state: IdentityState) =>
    decideIdentityCheck({ accountId: 'anna', isAccepted, reason: 'Seen' }, owner, state);
/** Of somebody who signed up with the address after that. */
const LATER = '2026-01-02T12:00:00.000Z';
const destroying = (state: IdentityState) => destroyIdentityEvidence('anna', state);

describe('asking to be verified', () => {
  test('is for providers with a verified address whom nobody has verified', () => {
    given().when(asking()).then(requested());
    given()
      .when(asking({ userType: 'client' }))
      .thenRefused('ONLY_PROVIDERS_VERIFY');
    given()
      .when(asking({ emailVerified: false }))
      .thenRefused('VERIFICATION_REQUIRED');
    given()
      .when(asking({ verifiedByAdmin: true }))
      .thenRefused('IDENTITY_VERIFIED');
  });
  test('waits for the decision on the last request', () => {
    given(requested()).when(asking({}, 'c2')).thenRefused('IDENTITY_CHECK_OPEN');
    given(requested(), decided(false), destroyed).when(asking({}, 'c2')).then(requested('c2'));
  });
  test('waits for no request of whoever had the address before', () => {
    given(requested())
      .when(asking({ registeredAt: LATER }, 'c2'))
      .then(requested('c2'));
  });
});

describe('deciding', () => {
  test('accepts or refuses what is open, once', () => {
    given(requested()).when(deciding(true)).then(decided(true));
    given(requested()).when(deciding(false)).then(decided(false));
    given(requested(), decided(true)).when(deciding(true)).then();
    given(requested(), decided(true)).when(deciding(false)).thenRefused('IDENTITY_CHECK_NOT_FOUND');
    given().when(deciding(true)).thenRefused('IDENTITY_CHECK_NOT_FOUND');
  });
  test('is about nobody who has the address now but did not ask', () => {
    given(requested()).when(deciding(true, null)).thenRefused('IDENTITY_CHECK_NOT_FOUND');
    given(requested())
      .when(deciding(true, { registeredAt: LATER }))
      .thenRefused('IDENTITY_CHECK_NOT_FOUND');
  });
  test('outlives the evidence, which is destroyed once', () => {
    given(requested(), decided(true)).when(destroying).then(destroyed);
    given(requested(), decided(true), destroyed).when(destroying).then();
    given().when(destroying).then();
    expect(given(requested(), decided(true), destroyed).state).toMatchObject({
      status: 'accepted',
      reason: 'Seen',
      isDestroyed: true,
    });
  });
});
