import {
  account,
  beginTwoStep,
  confirmTwoStep,
  disableTwoStep,
  DomainError,
  twoStepConfirmFields,
  twoStepDisableFields,
  twoStepSetUpFields,
  userView,
  type DoneAnswer,
  type RecoveryCodesAnswer,
  type TwoStepAnswer,
  type TwoStepSetUpAnswer,
} from '@alpenglow/domain';
import {
  jsonBody,
  newRecoveryCodes,
  newTwoStepSecret,
  parseInput,
  setPosition,
  twoStepCodes,
  twoStepUri,
  type Principal,
} from '@alpenglow/infra';
import { Router } from 'express';
import { afterwards } from '../../afterwards.ts';
import { answer, originOf } from './answers.ts';
import type { AuthDependencies } from './dependencies.ts';

/** `/auth/two-step` and what is below it: two-step sign-in of the signed-in account (decision 0038). */
export function twoStepRoutes(deps: AuthDependencies): Router {
  const { authentication, commands, sessions, passwords, adminEmail, staffTwoStep, log } = deps;
  const router = Router();

  async function requirePassword({ account: asker }: Principal, password: string): Promise<void> {
    if (!(await passwords.matches(asker.passwordHash, password))) throw new DomainError('WRONG_PASSWORD');
  }

  router.get('/two-step', async (req, res) => {
    const { account: asker, hasPassedTwoStep: passed } = await authentication.require(req);
    const required = staffTwoStep && userView(asker, adminEmail).isModerator;
    const recoveryCodesLeft = asker.twoStep?.recoveryCodeHashes.length ?? 0;
    answer(res, {
      success: true,
      data: { enabled: asker.twoStep !== null, required, passed, recoveryCodesLeft },
    } satisfies TwoStepAnswer);
  });

  router.post('/two-step/setup', jsonBody, async (req, res) => {
    const principal = await authentication.require(req);
    const { password } = parseInput(twoStepSetUpFields, req.body);
    await requirePassword(principal, password);
    const { accountId, email } = principal.account;
    const secret = newTwoStepSecret();
    setPosition(
      res,
      await commands.handle(
        account,
        accountId,
        (state, context) => beginTwoStep(secret, state, context),
        originOf(accountId, res),
      ),
    );
    const data = { secret, uri: twoStepUri(secret, email) };
    answer(res, {
      success: true,
      data,
      message: 'Please enter a code of your app to finish',
    } satisfies TwoStepSetUpAnswer);
  });

  router.post('/two-step/confirm', jsonBody, async (req, res) => {
    const { account: asker, token } = await authentication.require(req);
    const { code } = parseInput(twoStepConfirmFields, req.body);
    const { accountId } = asker;
    const recoveryCodes = newRecoveryCodes();
    const hashes = recoveryCodes.map((one) => twoStepCodes.recoveryCodeHash(accountId, one));
    const handled = await commands.handle(
      account,
      accountId,
      (state, context) => confirmTwoStep(code, hashes, state, twoStepCodes, context),
      originOf(accountId, res),
    );
    if (!handled.state) throw new DomainError('AUTHENTICATION_REQUIRED');
    // The user has just entered a code, so the session counts as confirmed. If storing that fails, the session asks for a code again.
    // The response succeeds in both cases, because the recovery codes are shown only once.
    const { twoStepVersion } = handled.state;
    await afterwards(log, 'have a session pass two-step sign-in', () => sessions.passTwoStep(token, twoStepVersion));
    setPosition(res, handled);
    answer(res, {
      success: true,
      data: { recoveryCodes: [...recoveryCodes] },
      message: 'Two-step sign-in is on',
    } satisfies RecoveryCodesAnswer);
  });

  router.post('/two-step/disable', jsonBody, async (req, res) => {
    const principal = await authentication.require(req);
    const { password, code } = parseInput(twoStepDisableFields, req.body);
    await requirePassword(principal, password);
    const { accountId } = principal.account;
    setPosition(
      res,
      await commands.handle(
        account,
        accountId,
        (state, context) => disableTwoStep(code, state, twoStepCodes, context),
        originOf(accountId, res),
      ),
    );
    answer(res, { success: true, message: 'Two-step sign-in is off' } satisfies DoneAnswer);
  });

  return router;
}
