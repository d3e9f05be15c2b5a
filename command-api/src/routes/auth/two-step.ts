import { account, DomainError, toUserView } from '@alpenglow/domain';
import { beginTwoStep, confirmTwoStep, disableTwoStep } from '@alpenglow/domain/deciders';
import {
  newRecoveryCodes,
  newTwoStepSecret,
  createOperationRouter,
  getInput,
  setPosition,
  twoStepCodes,
  twoStepUri,
  type Principal,
} from '@alpenglow/infra';
import { runFollowUp } from '../../follow-up.ts';
import { sendResponse } from './responses.ts';
import type { AuthDependencies } from './dependencies.ts';
import { createAccountOrigin } from '../../origin.ts';

/**
 * `/auth/two-step` and `/auth/two-step/*`: the operations to set up and disable two-step sign-in of the signed-in
 * account (decision 0038).
 */
export function twoStepRoutes(deps: AuthDependencies) {
  const { authentication, commands, sessions, passwords, adminEmail, staffTwoStep, log } = deps;
  const router = createOperationRouter();

  async function requirePassword({ account: caller }: Principal, password: string): Promise<void> {
    if (!(await passwords.matches(caller.passwordHash, password))) throw new DomainError('WRONG_PASSWORD');
  }

  router.on('getTwoStep', async (req, res) => {
    const { account: caller, hasPassedTwoStep: passed } = await authentication.require(req);
    const required = staffTwoStep && toUserView(caller, adminEmail).isModerator;
    const recoveryCodesLeft = caller.twoStep?.recoveryCodeHashes.length ?? 0;
    const data = { enabled: caller.twoStep !== null, required, passed, recoveryCodesLeft };
    sendResponse(res, { success: true, data });
  });

  router.on('setUpTwoStep', async (req, res) => {
    const principal = await authentication.require(req);
    const { password } = getInput(req);
    await requirePassword(principal, password);
    const { accountId, email } = principal.account;
    const secret = newTwoStepSecret();
    const origin = createAccountOrigin(accountId, res);
    setPosition(res, await commands.execute(account, accountId, beginTwoStep, { secret }, origin));
    const data = { secret, uri: twoStepUri(secret, email) };
    sendResponse(res, { success: true, data, message: 'Please enter a code of your app to finish' });
  });

  router.on('confirmTwoStep', async (req, res) => {
    const { account: caller, token, sessionId } = await authentication.require(req);
    const { code } = getInput(req);
    const { accountId } = caller;
    const recoveryCodes = newRecoveryCodes();
    const recoveryCodeHashes = recoveryCodes.map((each) => twoStepCodes.hashRecoveryCode(accountId, each));
    const command = { code, recoveryCodeHashes, codeVerifier: twoStepCodes };
    const origin = createAccountOrigin(accountId, res);
    const handled = await commands.execute(account, accountId, confirmTwoStep, command, origin);
    if (!handled.state) throw new DomainError('AUTHENTICATION_REQUIRED');
    // The user has just entered a code, so the session counts as confirmed. If this write fails, the user must enter a
    // code again. The request succeeds even then, because no other response contains the recovery codes.
    const { twoStepVersion } = handled.state;
    await runFollowUp(log, 'confirm two-step sign-in of the session', async () => {
      await sessions.updateTwoStepVersion(token, twoStepVersion);
      // Another person may have opened the other sessions with a stolen password.
      await sessions.revokeOthers(accountId, sessionId);
    });
    setPosition(res, handled);
    const data = { recoveryCodes: [...recoveryCodes] };
    sendResponse(res, { success: true, data, message: 'Two-step login is on' });
  });

  router.on('disableTwoStep', async (req, res) => {
    const principal = await authentication.require(req);
    const { password, code } = getInput(req);
    await requirePassword(principal, password);
    const { accountId } = principal.account;
    const command = { code, codeVerifier: twoStepCodes };
    const origin = createAccountOrigin(accountId, res);
    setPosition(res, await commands.execute(account, accountId, disableTwoStep, command, origin));
    sendResponse(res, { success: true, message: 'Two-step login is off' });
  });

  return router;
}
