import {
  account,
  DomainError,
  logInFields,
  passTwoStep,
  type DoneAnswer,
  type RegisteredAccount,
} from '@alpenglow/domain';
import { endsLoginDelay, jsonBody, parseInput, twoStepCodes } from '@alpenglow/infra';
import { Router, type Request, type Response } from 'express';
import { answer, originOf, sessionAnswer, userAnswer } from './answers.ts';
import type { AuthDependencies } from './dependencies.ts';
import { openSession } from './open-session.ts';
import { refusingAlike } from './refusing-alike.ts';

/** `POST /auth/login`, `/auth/logout`, `/auth/verify` and `/auth/refresh` of the specification, section 7. */
export function sessionRoutes(deps: AuthDependencies): Router {
  const router = Router();

  router.post('/login', jsonBody, async (req, res) => {
    const { email, password, code } = parseInput(logInFields, req.body);
    const { state, token } = await refusingAlike('LOGIN_FAILED', async () => {
      const found = await signedIn(deps, email, password);
      const opened = await openSession(deps, found, await secondStep(deps, found, code, res));
      if (opened === null) throw new DomainError('LOGIN_FAILED');
      return { state: found, token: opened };
    });
    if (state.emailVerified) endsLoginDelay(res);
    answer(res, sessionAnswer(state, token, deps, 'Welcome back'));
  });

  router.post('/logout', async (req, res) => {
    const { token } = await deps.authentication.require(req);
    await deps.sessions.revoke(token);
    answer(res, { success: true, message: 'Logged out' } satisfies DoneAnswer);
  });

  router.post('/verify', async (req, res) => {
    const { account: state } = await verified(deps, req);
    answer(res, userAnswer(state, deps, 'Session is valid'));
  });

  router.post('/refresh', async (req, res) => {
    const { account: state, token } = await deps.authentication.require(req);
    const next = await deps.sessions.refresh(token);
    if (next === null) throw new DomainError('AUTHENTICATION_REQUIRED');
    answer(res, sessionAnswer(state, next, deps, 'Session renewed'));
  });

  return router;
}

/**
 * The account an address and a password open: the address's own, else what stands in for it (decision 0022). Known or not, right or wrong,
 * it takes two streams and one comparison. Refuses with LOGIN_FAILED.
 */
async function signedIn(
  { commands, passwords, accountIdOf, standInIdOf }: AuthDependencies,
  email: string,
  password: string,
): Promise<RegisteredAccount> {
  const [own, standIn] = await Promise.all([
    commands.load(account, accountIdOf(email)),
    commands.load(account, standInIdOf(email, password)),
  ]);
  const isTheirs = await passwords.matches(own.state?.passwordHash ?? null, password);
  const state = isTheirs ? own.state : standIn.state;
  if (!state) throw new DomainError('LOGIN_FAILED');
  return state;
}

/**
 * Uses up the code of an account that asks for one, after its password, and answers the version of two-step sign-in it passed; 0: none is asked for. Refuses with TWO_STEP_CODE_REQUIRED, TWO_STEP_FAILED, both of
 * which count as failed logins.
 */
async function secondStep(
  { commands }: AuthDependencies,
  { accountId, twoStep }: RegisteredAccount,
  code: string | undefined,
  res: Response,
): Promise<number> {
  if (!twoStep) return 0;
  if (code === undefined) throw new DomainError('TWO_STEP_CODE_REQUIRED');
  try {
    const { state: passed } = await commands.handle(
      account,
      accountId,
      (state, context) => passTwoStep(code, state, twoStepCodes, context),
      originOf(accountId, res),
    );
    return passed?.twoStepVersion ?? 0;
  } catch (error) {
    throw error instanceof DomainError && error.code === 'TWO_STEP_CODE_WRONG'
      ? new DomainError('TWO_STEP_FAILED')
      : error;
  }
}

/** As `authentication.require`, but a token that opens nothing is told apart from none: TOKEN_VERIFICATION_FAILED (specification, section 8). */
async function verified({ authentication }: AuthDependencies, req: Request) {
  try {
    return await authentication.require(req);
  } catch (error) {
    const isRefused = error instanceof DomainError && error.code === 'AUTHENTICATION_REQUIRED';
    throw isRefused && req.get('authorization') !== undefined ? new DomainError('TOKEN_VERIFICATION_FAILED') : error;
  }
}
