import { describe, test } from 'vitest';
import { consumeLoginCode, issueLoginCode } from '../../src/account/decide.ts';
import type { AccountEvent } from '../../src/account/events.ts';
import type { AccountState } from '../../src/account/state.ts';
import { at, codeOf, contextAt, given, issued, MINUTE_ms, registered, repeatedSignUp, verified } from './anna.ts';

const open = [registered, issued, verified];
const codeIssued: AccountEvent = {
  type: 'LoginCodeIssued',
  data: { accountId: 'anna', issuanceId: 'issuance-3', expiresAt: at(15 * MINUTE_ms), requesters: ['her browser'] },
};
const codeFailed: AccountEvent = {
  type: 'LoginCodeFailed',
  data: { accountId: 'anna', issuanceId: 'issuance-3', requester: 'her browser' },
};
const codeUsed: AccountEvent = { type: 'LoginCodeUsed', data: { accountId: 'anna', issuanceId: 'issuance-3' } };

const requesting =
  (offset_ms = 0, requesters = ['her browser']) =>
  (state: AccountState) =>
    issueLoginCode({ requesters }, state, contextAt(offset_ms, 3));
const entering =
  (code: string, offset_ms = 0, requesters = ['her browser']) =>
  (state: AccountState) =>
    consumeLoginCode({ code, requesters, deriveCode: codeOf }, state, contextAt(offset_ms));

describe('a login code', () => {
  test('is issued at most once a minute for each requester', () => {
    given(...open)
      .when(requesting())
      .then(codeIssued);
    given(...open, codeIssued)
      .when(requesting(MINUTE_ms - 1))
      .then();
    given(...open, codeIssued)
      .when(requesting(0, ['another']))
      .then({ ...codeIssued, data: { ...codeIssued.data, requesters: ['another'] } });
  });
  test('is not issued for an unknown address or a stand-in', () => {
    given().when(requesting()).then();
    given(...repeatedSignUp)
      .when(requesting())
      .then();
  });
  test('can be used once, by its requester, within 15 minutes', () => {
    given(...open, codeIssued)
      .when(entering('333333'))
      .then(codeUsed);
    given(...open, codeIssued, codeUsed)
      .when(entering('333333'))
      .thenThrows('LOGIN_FAILED');
    given(...open, codeIssued)
      .when(entering('333333', 0, ['another']))
      .thenThrows('LOGIN_FAILED');
    given(...open, codeIssued)
      .when(entering('333333', 15 * MINUTE_ms))
      .thenThrows('LOGIN_FAILED');
  });
  test('is rejected after five wrong codes', () => {
    given(...open, codeIssued)
      .when(entering('000000'))
      .then(codeFailed);
    given(...open, codeIssued, ...Array.from({ length: 5 }, () => codeFailed))
      .when(entering('333333'))
      .thenThrows('LOGIN_FAILED');
  });
  test('is rejected for an account without a code', () => {
    given().when(entering('333333')).thenThrows('LOGIN_FAILED');
    given(...open)
      .when(entering('333333'))
      .thenThrows('LOGIN_FAILED');
  });
});
