import { account, DomainError, hasOwner, type RegisteredAccount } from '@alpenglow/domain';
import { consumeLoginCode, consumeTwoStepCode, issueLoginCode, rehashPassword } from '@alpenglow/domain/deciders';
import {
  createOperationRouter,
  describeSessionClient,
  getInput,
  markEndOfLoginDelay,
  requiresLoginCode,
  twoStepCodes,
  type CommandOrigin,
} from '@alpenglow/infra';
import type { Request, Response } from 'express';
import { sendResponse, createSessionResponse, createUserResponse } from './responses.ts';
import type { AuthDependencies } from './dependencies.ts';
import { createAccountOrigin } from '../../origin.ts';
import { openSession } from './open-session.ts';
import { runInBackground } from './background.ts';
import { withEqualErrorTime } from './equal-error-time.ts';

/** `POST /auth/login`, `/auth/logout`, `/auth/verify` and `/auth/refresh`. */
export function sessionRoutes(deps: AuthDependencies) {
  const router = createOperationRouter();

  router.on('logIn', async (req, res) => {
    const { email, password, code } = getInput(req);
    const accountId = deps.createAccountId(email);
    const { state, token } = await withEqualErrorTime('LOGIN_FAILED', async () => {
      const needsCode = requiresLoginCode(res);
      if (needsCode && code === undefined) {
        const requesters = deps.browsers.identifyRequesters(req, res, accountId);
        await mailLoginCode(deps, { email, password, requesters }, createAccountOrigin(accountId, res));
        throw new DomainError('LOGIN_CODE_REQUIRED');
      }
      const { registered, isOutdated } = await authenticate(deps, email, password);
      if (needsCode && code !== undefined && !registered.twoStep)
        await checkLoginCode(deps, registered, code, deps.browsers.findRequesters(req, accountId), res);
      const twoStepVersion = await checkSecondStep(deps, registered, code, res);
      const newToken = await openSession(deps, describeSessionClient(req, deps.hashKey), registered, twoStepVersion);
      if (newToken === null) throw new DomainError('LOGIN_FAILED');
      if (isOutdated)
        runInBackground(renewHash(deps, registered, password, res), deps.log, 'password was not rehashed');
      return { state: registered, token: newToken };
    });
    if (hasOwner(state)) markEndOfLoginDelay(res);
    deps.browsers.markKnown(req, res, toKnownSubject(state));
    sendResponse(res, createSessionResponse(state, token, deps, 'Welcome back'));
  });

  router.on('logOut', async (req, res) => {
    const { token } = await deps.authentication.require(req);
    await deps.sessions.revoke(token);
    sendResponse(res, { success: true, message: 'Logged out' });
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

/** The account of a login. */
interface Authenticated {
  readonly registered: RegisteredAccount;
  /** True if the password must be hashed again. */
  readonly isOutdated: boolean;
}

/**
 * Returns the account with this e-mail address and password. It may be a stand-in account: a sign-up with the address
 * of a verified account creates such an account, so that the response does not show this (decision 0055). The function
 * always loads two accounts and compares two passwords, so its duration does not show which account was found. Throws
 * LOGIN_FAILED.
 */
async function authenticate(
  { commands, passwords, createAccountId, createStandInId }: AuthDependencies,
  email: string,
  password: string,
): Promise<Authenticated> {
  const [own, standIn] = await Promise.all([
    commands.load(account, createAccountId(email)),
    commands.load(account, createStandInId(email)),
  ]);
  const checks = await Promise.all(
    [own, standIn].map(async ({ state }) => ({
      registered: state,
      ...(await passwords.check(state?.passwordHash ?? null, password)),
    })),
  );
  const found = checks.find(({ matches }) => matches);
  if (!found?.registered) throw new DomainError('LOGIN_FAILED');
  return { registered: found.registered, isOutdated: found.isOutdated };
}

/** Stores the hash of a password again. */
async function renewHash(
  { commands, passwords }: AuthDependencies,
  { accountId, passwordHash: previousHash }: RegisteredAccount,
  password: string,
  res: Response,
): Promise<void> {
  if (previousHash === null) return;
  const origin = createAccountOrigin(accountId, res);
  const passwordHash = await passwords.hash(password);
  await commands.execute(account, accountId, rehashPassword, { passwordHash, previousHash }, origin);
}

/**
 * Mails a login code if the password is correct. The client receives the same response for a wrong password, so the
 * code is issued in the background.
 */
async function mailLoginCode(
  deps: AuthDependencies,
  { email, password, requesters }: { email: string; password: string; requesters: readonly string[] },
  origin: CommandOrigin,
): Promise<void> {
  const found = await authenticate(deps, email, password).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'LOGIN_FAILED') return null;
    throw error;
  });
  // An account with two-step sign-in uses the code of its authenticator app.
  if (!found || found.registered.twoStep) return;
  const issued = deps.commands.execute(account, found.registered.accountId, issueLoginCode, { requesters }, origin);
  runInBackground(issued, deps.log, 'login code could not be issued');
}

/** Uses the mailed code of a login. Throws LOGIN_FAILED. */
async function checkLoginCode(
  { commands, createVerificationCode }: AuthDependencies,
  { accountId }: RegisteredAccount,
  code: string,
  requesters: readonly string[],
  res: Response,
): Promise<void> {
  const command = { code, requesters, deriveCode: createVerificationCode };
  const origin = createAccountOrigin(accountId, res);
  const { events } = await commands.execute(account, accountId, consumeLoginCode, command, origin);
  if (!events.some(({ type }) => type === 'LoginCodeUsed')) throw new DomainError('LOGIN_FAILED');
}

/**
 * Returns the subject for which a browser is marked as known. The subject of an account without an owner contains the
 * number of its sign-up, so that the browser of a replaced sign-up is unknown to the later owner.
 */
function toKnownSubject(state: RegisteredAccount): string {
  return hasOwner(state) ? state.accountId : `${state.accountId}/${state.passwordVersion}`;
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
