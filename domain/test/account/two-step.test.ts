import { describe, expect, test } from 'vitest';
import type { TwoStepCodeVerifier } from '../../src/account/commands.ts';
import { beginTwoStep, confirmTwoStep, disableTwoStep, consumeTwoStepCode } from '../../src/account/two-step.ts';
import type { AccountEvent } from '../../src/account/events.ts';
import type { AccountState } from '../../src/account/state.ts';
import { at, closed, contextAt, given, issued, MINUTE_ms, registered, repeatedSignUp, verified } from './anna.ts';

/**
 * A test double that checks the codes of two-step sign-in. A code from the authenticator app has the form
 * `secret@timeStep`. Any other text is a recovery code.
 */
const codes: TwoStepCodeVerifier = {
  findTimeStep(secret, code, _now, after) {
    const [codeSecret, step] = code.split('@');
    return codeSecret === secret && Number(step) > after ? Number(step) : null;
  },
  hashRecoveryCode: (accountId, code) => `${accountId}:${code}`,
};

const HASHES = ['anna:one', 'anna:two'];
const begun: AccountEvent = {
  type: 'TwoStepSetUpBegun',
  data: { accountId: 'anna', secret: 'S1', expiresAt: at(15 * MINUTE_ms) },
};
const enabled: AccountEvent = {
  type: 'TwoStepEnabled',
  data: { accountId: 'anna', secret: 'S1', recoveryCodeHashes: HASHES, timeStep: 7 },
};
const codeUsed = (timeStep: number): AccountEvent => ({
  type: 'TwoStepCodeUsed',
  data: { accountId: 'anna', timeStep },
});
const recoveryCodeUsed = (code: string): AccountEvent => ({
  type: 'RecoveryCodeUsed',
  data: { accountId: 'anna', recoveryCodeHash: `anna:${code}` },
});
const disabled: AccountEvent = { type: 'TwoStepDisabled', data: { accountId: 'anna' } };

const beginning =
  (secret = 'S1') =>
  (state: AccountState) =>
    beginTwoStep({ secret }, state, contextAt());
const confirming =
  (code: string, offset_ms = 0) =>
  (state: AccountState) =>
    confirmTwoStep({ code, recoveryCodeHashes: HASHES, codeVerifier: codes }, state, contextAt(offset_ms));
const passTwoStep = (code: string) => (state: AccountState) =>
  consumeTwoStepCode({ code, codeVerifier: codes }, state, contextAt());
const disabling = (code: string) => (state: AccountState) =>
  disableTwoStep({ code, codeVerifier: codes }, state, contextAt());

describe('setting up two-step sign-in', () => {
  test('begins with a secret that does not affect sign-in yet', () => {
    given(registered, verified).when(beginning()).then(begun);
    expect(given(registered, verified, begun).state).toMatchObject({ twoStep: null, twoStepVersion: 0 });
  });
  test('replaces the previous secret when it is begun again', () => {
    given(registered, verified, begun)
      .when(beginning('S2'))
      .then({ type: 'TwoStepSetUpBegun', data: { accountId: 'anna', secret: 'S2', expiresAt: at(15 * MINUTE_ms) } });
    given(registered, verified, begun, {
      type: 'TwoStepSetUpBegun',
      data: { accountId: 'anna', secret: 'S2', expiresAt: at(15 * MINUTE_ms) },
    })
      .when(confirming('S1@7'))
      .thenThrows('TWO_STEP_CODE_WRONG');
  });
  test('is rejected for an unverified address, a stand-in, a closed account, and if it is already on', () => {
    given(registered, issued).when(beginning()).thenThrows('VERIFICATION_REQUIRED');
    given(...repeatedSignUp)
      .when(beginning())
      .thenThrows('VERIFICATION_REQUIRED');
    given(registered, verified, begun, enabled).when(beginning()).thenThrows('TWO_STEP_IS_ON');
    given(registered, verified, closed).when(beginning()).thenThrows('AUTHENTICATION_REQUIRED');
  });
  test('is confirmed by a code of the secret', () => {
    given(registered, verified, begun).when(confirming('S1@7')).then(enabled);
    expect(given(registered, verified, begun, enabled).state).toMatchObject({
      twoStep: { secret: 'S1', recoveryCodeHashes: HASHES, lastTimeStep: 7 },
      twoStepVersion: 1,
      twoStepSetUp: null,
    });
  });
  test('is not confirmed by another code, without a set-up, or too late', () => {
    given(registered, verified, begun).when(confirming('S2@7')).thenThrows('TWO_STEP_CODE_WRONG');
    given(registered, verified).when(confirming('S1@7')).thenThrows('TWO_STEP_NOT_BEGUN');
    given(registered, verified, begun)
      .when(confirming('S1@7', 15 * MINUTE_ms))
      .thenThrows('TWO_STEP_NOT_BEGUN');
    given(registered, verified, begun, enabled).when(confirming('S1@8')).thenThrows('TWO_STEP_IS_ON');
  });
});

describe('passing two-step sign-in', () => {
  const on = [registered, verified, begun, enabled];

  test('accepts a code that is newer than the last used one', () => {
    given(...on)
      .when(passTwoStep('S1@8'))
      .then(codeUsed(8));
    given(...on)
      .when(passTwoStep('S1@7'))
      .thenThrows('TWO_STEP_CODE_WRONG');
    given(...on, codeUsed(8))
      .when(passTwoStep('S1@8'))
      .thenThrows('TWO_STEP_CODE_WRONG');
    given(...on, codeUsed(8))
      .when(passTwoStep('S1@9'))
      .then(codeUsed(9));
  });
  test('accepts each recovery code once', () => {
    given(...on)
      .when(passTwoStep('one'))
      .then(recoveryCodeUsed('one'));
    given(...on, recoveryCodeUsed('one'))
      .when(passTwoStep('one'))
      .thenThrows('TWO_STEP_CODE_WRONG');
    given(...on, recoveryCodeUsed('one'))
      .when(passTwoStep('two'))
      .then(recoveryCodeUsed('two'));
    given(...on)
      .when(passTwoStep('three'))
      .thenThrows('TWO_STEP_CODE_WRONG');
  });
  test('requires no code while it is off', () => {
    given(registered, verified).when(passTwoStep('S1@8')).then();
    given(...on, disabled)
      .when(passTwoStep('S1@8'))
      .then();
  });
});

describe('switching off two-step sign-in', () => {
  const on = [registered, verified, begun, enabled];

  test('uses up a code', () => {
    given(...on)
      .when(disabling('S1@8'))
      .then(codeUsed(8), disabled);
    given(...on)
      .when(disabling('one'))
      .then(recoveryCodeUsed('one'), disabled);
    given(...on)
      .when(disabling('S1@7'))
      .thenThrows('TWO_STEP_CODE_WRONG');
  });
  test('changes nothing the second time', () => {
    given(...on, disabled)
      .when(disabling('S1@8'))
      .then();
  });
  test('invalidates earlier sessions when it is switched on again', () => {
    expect(given(...on, disabled, begun, enabled).state).toMatchObject({ twoStepVersion: 2 });
  });
  test('does not carry over to a new account with the same address', () => {
    expect(given(...on, closed, registered).state).toMatchObject({ twoStep: null, twoStepVersion: 0 });
  });
});
