import { describe, expect, test } from 'vitest';
import {
  beginTwoStep,
  confirmTwoStep,
  disableTwoStep,
  passTwoStep,
  type TwoStepCodes,
} from '../../src/account/two-step.ts';
import type { AccountEvent } from '../../src/account/events.ts';
import type { AccountState } from '../../src/account/state.ts';
import { at, closed, contextAt, given, issued, minutes, registered, repeated, verified } from './people.ts';

/** A code says its secret and its time step; a recovery code is known by itself. */
const codes: TwoStepCodes = {
  timeStepOf(secret, code, _now, after) {
    const [ofSecret, step] = code.split('@');
    return ofSecret === secret && Number(step) > after ? Number(step) : null;
  },
  recoveryCodeHash: (accountId, code) => `${accountId}:${code}`,
};

const HASHES = ['anna:one', 'anna:two'];
const begun: AccountEvent = {
  type: 'TwoStepSetUpBegun',
  data: { accountId: 'anna', secret: 'S1', expiresAt: at(15 * minutes) },
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
    beginTwoStep(secret, state, contextAt());
const confirming =
  (code: string, offset_ms = 0) =>
  (state: AccountState) =>
    confirmTwoStep(code, HASHES, state, codes, contextAt(offset_ms));
const passing = (code: string) => (state: AccountState) => passTwoStep(code, state, codes, contextAt());
const disabling = (code: string) => (state: AccountState) => disableTwoStep(code, state, codes, contextAt());

describe('setting two-step sign-in up', () => {
  test('begins with a secret that asks for nothing yet', () => {
    given(registered, verified).when(beginning()).then(begun);
    expect(given(registered, verified, begun).state).toMatchObject({ twoStep: null, twoStepVersion: 0 });
  });
  test('again takes the place of the first time', () => {
    given(registered, verified, begun)
      .when(beginning('S2'))
      .then({ type: 'TwoStepSetUpBegun', data: { accountId: 'anna', secret: 'S2', expiresAt: at(15 * minutes) } });
    given(registered, verified, begun, {
      type: 'TwoStepSetUpBegun',
      data: { accountId: 'anna', secret: 'S2', expiresAt: at(15 * minutes) },
    })
      .when(confirming('S1@7'))
      .thenRefused('TWO_STEP_CODE_WRONG');
  });
  test('is refused before the address is verified, to a stand-in, once it is on, and when the account is gone', () => {
    given(registered, issued).when(beginning()).thenRefused('VERIFICATION_REQUIRED');
    given(...repeated)
      .when(beginning())
      .thenRefused('VERIFICATION_REQUIRED');
    given(registered, verified, begun, enabled).when(beginning()).thenRefused('TWO_STEP_IS_ON');
    given(registered, verified, closed).when(beginning()).thenRefused('AUTHENTICATION_REQUIRED');
  });
  test('is finished by a code of that secret', () => {
    given(registered, verified, begun).when(confirming('S1@7')).then(enabled);
    expect(given(registered, verified, begun, enabled).state).toMatchObject({
      twoStep: { secret: 'S1', recoveryCodeHashes: HASHES, lastTimeStep: 7 },
      twoStepVersion: 1,
      twoStepSetUp: null,
    });
  });
  test('is not finished by another code, without a beginning, or too late', () => {
    given(registered, verified, begun).when(confirming('S2@7')).thenRefused('TWO_STEP_CODE_WRONG');
    given(registered, verified).when(confirming('S1@7')).thenRefused('TWO_STEP_NOT_BEGUN');
    given(registered, verified, begun)
      .when(confirming('S1@7', 15 * minutes))
      .thenRefused('TWO_STEP_NOT_BEGUN');
    given(registered, verified, begun, enabled).when(confirming('S1@8')).thenRefused('TWO_STEP_IS_ON');
  });
});

describe('passing two-step sign-in', () => {
  const on = [registered, verified, begun, enabled];

  test('takes a code that is newer than the last one used', () => {
    given(...on)
      .when(passing('S1@8'))
      .then(codeUsed(8));
    given(...on)
      .when(passing('S1@7'))
      .thenRefused('TWO_STEP_CODE_WRONG');
    given(...on, codeUsed(8))
      .when(passing('S1@8'))
      .thenRefused('TWO_STEP_CODE_WRONG');
    given(...on, codeUsed(8))
      .when(passing('S1@9'))
      .then(codeUsed(9));
  });
  test('takes each recovery code once', () => {
    given(...on)
      .when(passing('one'))
      .then(recoveryCodeUsed('one'));
    given(...on, recoveryCodeUsed('one'))
      .when(passing('one'))
      .thenRefused('TWO_STEP_CODE_WRONG');
    given(...on, recoveryCodeUsed('one'))
      .when(passing('two'))
      .then(recoveryCodeUsed('two'));
    given(...on)
      .when(passing('three'))
      .thenRefused('TWO_STEP_CODE_WRONG');
  });
  test('asks nothing where it is off', () => {
    given(registered, verified).when(passing('S1@8')).then();
    given(...on, disabled)
      .when(passing('S1@8'))
      .then();
  });
});

describe('switching two-step sign-in off', () => {
  const on = [registered, verified, begun, enabled];

  test('takes a code, which is used up', () => {
    given(...on)
      .when(disabling('S1@8'))
      .then(codeUsed(8), disabled);
    given(...on)
      .when(disabling('one'))
      .then(recoveryCodeUsed('one'), disabled);
    given(...on)
      .when(disabling('S1@7'))
      .thenRefused('TWO_STEP_CODE_WRONG');
  });
  test('twice changes nothing', () => {
    given(...on, disabled)
      .when(disabling('S1@8'))
      .then();
  });
  test('and on again counts sessions that passed it before no more', () => {
    expect(given(...on, disabled, begun, enabled).state).toMatchObject({ twoStepVersion: 2 });
  });
  test('does not outlive the account', () => {
    expect(given(...on, closed, registered).state).toMatchObject({ twoStep: null, twoStepVersion: 0 });
  });
});
