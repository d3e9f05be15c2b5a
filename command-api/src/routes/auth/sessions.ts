import { account, DomainError, type EmptyResultResponse, type RegisteredAccount } from '@alpenglow/domain';
import { consumeTwoStepCode } from '@alpenglow/domain/deciders';
import { markEndOfLoginDelay, createOperationRouter, getInput, twoStepCodes } from '@alpenglow/infra';
import type { Request, Response } from 'express';
import { sendResponse, createSessionResponse, createUserResponse } from './responses.ts';
import type { AuthDependencies } from './dependencies.ts';
import { createAccountOrigin } from '../../origin.ts';
import { openSession } from './open-session.ts';
import { withEqualErrorTime } from './equal-error-time.ts';

/** `POST /auth/login`, `/auth/logout`, `/auth/verify` and `/auth/refresh`. */
export function sessionRoutes(deps: AuthDependencies) {
  const router = createOperationRouter();

  router.on('logIn', async (req, res) => {
    const { email, password, code } = getInput(req);
    const { state, token } = await withEqualErrorTime('LOGIN_FAILED', async () => {
      const registered = await authenticate(deps, email, password);
      const newToken = await openSession(deps, registered, await checkSecondStep(deps, registered, code, res));
      if (newToken === null) throw new DomainError('LOGIN_FAILED');
      return { state: registered, token: newToken };
    });
    if (state.emailVerified) markEndOfLoginDelay(res);
    sendResponse(res, createSessionResponse(state, token, deps, 'Welcome back'));
  });

  router.on('logOut', async (req, res) => {
    const { token } = await deps.authentication.require(req);
    await deps.sessions.revoke(token);
    sendResponse(res, { success: true, message: 'Logged out' } satisfies EmptyResultResponse);
  });

  router.on('verifySession', async (req, res) => {
    const { account: state } = await requireVerified(deps, req);
    sendResponse(res, createUserResponse(state, deps, 'Session is valid'));
  });

  router.on('refreshSession', async (req, res) => {
    const { account: state, token } = await deps.authentication.require(req);
    const next = await deps.sessions.refresh(token);
    if (next === null) throw new DomainError('AUTHENTICATION_REQUIRED');
    sendResponse(res, createSessionResponse(state, next, deps, 'Session renewed'));
  });

  return router;
}

/**
 * Returns the account with this e-mail address and password. It may be a stand-in account: a repeated sign-up creates
 * such an account, so that the response does not show that the address already has one (decision 0022). The function
 * always loads two accounts and compares one password, so its duration does not show which account was found. Throws
 * LOGIN_FAILED.
 */
async function authenticate(
  { commands, passwords, createAccountId, createStandInId }: AuthDependencies,
  email: string,
  password: string,
): Promise<RegisteredAccount> {
  const [own, standIn] = await Promise.all([
    commands.load(account, createAccountId(email)),
    commands.load(account, createStandInId(email, password)),
  ]);
  const isOwnPassword = await passwords.matches(own.state?.passwordHash ?? null, password);
  const state = isOwnPassword ? own.state : standIn.state;
  if (!state) throw new DomainError('LOGIN_FAILED');
  return state;
}

/**
 * Checks the two-step code of a login and marks the code as used. Returns the version of the account's two-step setup,
 * or 0 if the account does not use two-step sign-in. Throws TWO_STEP_CODE_REQUIRED or TWO_STEP_FAILED, which both count
 * as failed logins.
 */
async function checkSecondStep(
  { commands }: AuthDependencies,
  { accountId, twoStep }: RegisteredAccount,
  code: string | undefined,
  res: Response,
): Promise<number> {
  if (!twoStep) return 0;
  if (code === undefined) throw new DomainError('TWO_STEP_CODE_REQUIRED');
  try {
    const command = { code, codeVerifier: twoStepCodes };
    const origin = createAccountOrigin(accountId, res);
    const { state: passed } = await commands.execute(account, accountId, consumeTwoStepCode, command, origin);
    return passed?.twoStepVersion ?? 0;
  } catch (error) {
    throw error instanceof DomainError && error.code === 'TWO_STEP_CODE_WRONG'
      ? new DomainError('TWO_STEP_FAILED')
      : error;
  }
}

/**
 * Returns the signed-in caller of a request. Throws TOKEN_VERIFICATION_FAILED for an invalid token, and
 * AUTHENTICATION_REQUIRED for a missing token.
 */
async function requireVerified({ authentication }: AuthDependencies, req: Request) {
  try {
    return await authentication.require(req);
  } catch (error) {
    const isNotAuthenticated = error instanceof DomainError && error.code === 'AUTHENTICATION_REQUIRED';
    throw isNotAuthenticated && req.get('authorization') !== undefined
      ? new DomainError('TOKEN_VERIFICATION_FAILED')
      : error;
  }
}
