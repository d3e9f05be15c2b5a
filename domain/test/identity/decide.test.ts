import { describe, expect, test } from 'vitest';
import type { DecisionContext } from '../../src/aggregate.ts';
import { decideIdentityCheck, destroyIdentityEvidence, requestIdentityCheck } from '../../src/identity/decide.ts';
import type { IdentityEvent } from '../../src/identity/events.ts';
import { identity, type IdentityState } from '../../src/identity/state.ts';
import { AT, givenAggregate } from '../given.ts';

const given = givenAggregate(identity);
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
const requesting =
  (changes: Partial<typeof anna> | { userType: 'client' } = {}, checkId = 'c1') =>
  (state: IdentityState, context: DecisionContext) =>
    requestIdentityCheck({ checkId, files: 2, provider: { ...anna, ...changes } }, state, context);
const deciding =
  (isAccepted: boolean, owner: { registeredAt: string } | null = anna) =>
  (state: IdentityState, context: DecisionContext) =>
    decideIdentityCheck({ accountId: 'anna', isAccepted, reason: 'Seen', owner }, state, context);
/** Registration time of a later account with the same e-mail address and therefore the same account id. */
const LATER = '2026-01-02T12:00:00.000Z';
const destroying = (state: IdentityState, context: DecisionContext) =>
  destroyIdentityEvidence({ accountId: 'anna' }, state, context);

describe('requesting verification', () => {
  test('is for unverified providers with a verified e-mail address', () => {
    given().when(requesting()).then(requested());
    given()
      .when(requesting({ userType: 'client' }))
      .thenThrows('ONLY_PROVIDERS_VERIFY');
    given()
      .when(requesting({ emailVerified: false }))
      .thenThrows('VERIFICATION_REQUIRED');
    given()
      .when(requesting({ verifiedByAdmin: true }))
      .thenThrows('IDENTITY_VERIFIED');
  });
  test('records the hashes of the pictures', () => {
    given()
      .decide(requestIdentityCheck, { checkId: 'c1', files: 2, hashes: ['00ff', 'ff00'], provider: anna })
      .then({
        type: 'IdentityCheckRequested',
        data: { accountId: 'anna', checkId: 'c1', files: 2, hashes: ['00ff', 'ff00'] },
      });
  });
  test('waits for the decision on the last request', () => {
    given(requested()).when(requesting({}, 'c2')).thenThrows('IDENTITY_CHECK_OPEN');
    given(requested(), decided(false), destroyed).when(requesting({}, 'c2')).then(requested('c2'));
  });
  test('ignores a request of the previous owner of the address', () => {
    given(requested())
      .when(requesting({ registeredAt: LATER }, 'c2'))
      .then(requested('c2'));
  });
});

describe('deciding a verification request', () => {
  test('accepts or rejects an open request once', () => {
    given(requested()).when(deciding(true)).then(decided(true));
    given(requested()).when(deciding(false)).then(decided(false));
    given(requested(), decided(true)).when(deciding(true)).then();
    given(requested(), decided(true)).when(deciding(false)).thenThrows('IDENTITY_CHECK_NOT_FOUND');
    given().when(deciding(true)).thenThrows('IDENTITY_CHECK_NOT_FOUND');
  });
  test('is rejected for a new owner of the address, who made no request', () => {
    given(requested()).when(deciding(true, null)).thenThrows('IDENTITY_CHECK_NOT_FOUND');
    given(requested())
      .when(deciding(true, { registeredAt: LATER }))
      .thenThrows('IDENTITY_CHECK_NOT_FOUND');
  });
  test('keeps the decision after the evidence is destroyed', () => {
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
