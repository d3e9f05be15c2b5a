import {
  account,
  DomainError,
  logInFields,
  registerAccount,
  resendVerification,
  signUpFields,
  userView,
  verifyEmail,
  verifyEmailFields,
  type AccountState,
  type RegisteredAccount,
  type ResendAnswer,
  type SessionAnswer,
  type UserAnswer,
  type VerificationCodeOf,
} from '@alpenglow/domain';
import {
  createSlots,
  hashPassword,
  jsonBody,
  parseInput,
  passwordMatches,
  requestIdOf,
  setRevision,
  type Authentication,
  type CommandHandler,
  type Logger,
  type Sessions,
} from '@alpenglow/infra';
import { Router, type Response } from 'express';
import * as z from 'zod/mini';

export interface AuthDependencies {
  readonly commands: CommandHandler;
  readonly sessions: Sessions;
  readonly authentication: Authentication;
  readonly accountIdOf: (email: string) => string;
  readonly codeOf: VerificationCodeOf;
  readonly adminEmail: string | null;
  readonly exposeCodes: boolean;
  readonly log: Logger;
}

const HASHING_AT_ONCE = 2;
const HASHING_MAX_WAITING = 64;
const HASHING_WAIT_ms = 5_000;
const HASHING_RETRY_s = 5;

const emailOnly = z.object({ email: z.string() });

/** `/auth/*` of the specification, section 7. */
export function authRoutes(deps: AuthDependencies): Router {
  const router = Router();
  const view = (state: RegisteredAccount) => userView(state, deps.adminEmail);
  const originFor = (accountId: string, res: Response) => ({ actor: { kind: 'account', accountId } as const, correlationId: requestIdOf(res) });
  const slots = createSlots({ max: HASHING_AT_ONCE, maxWaiting: HASHING_MAX_WAITING, wait_ms: HASHING_WAIT_ms });
  /** Password work takes a thread each; more than a few at once would keep files and pictures waiting. Refuses with RATE_LIMITED. */
  async function hashing<T>(work: () => Promise<T>): Promise<T> {
    const slot = await slots.take();
    if (!slot) throw new DomainError('RATE_LIMITED', { seconds: HASHING_RETRY_s }, HASHING_RETRY_s);
    try {
      return await work();
    } finally {
      slot.release();
    }
  }
  const exposedCode = (state: AccountState) =>
    deps.exposeCodes && state?.verification ? { verificationCode: deps.codeOf(state.verification.issuanceId) } : {};

  router.post('/signup', jsonBody, async (req, res) => {
    const { password, ...fields } = parseInput(signUpFields, req.body);
    const accountId = deps.accountIdOf(fields.email);
    const passwordHash = await hashing(() => hashPassword(password));
    const handled = await deps.commands.handle(
      account,
      accountId,
      (state, context) => registerAccount({ ...fields, accountId, passwordHash, isDemo: false }, state, context),
      originFor(accountId, res),
    );
    const answer: SessionAnswer = {
      success: true,
      user: view(registered(handled.state)),
      token: await deps.sessions.open(accountId),
      message: 'Account created. Please verify your e-mail.',
      verificationRequired: true,
      ...exposedCode(handled.state),
    };
    setRevision(res, handled);
    res.status(201).setHeader('Cache-Control', 'no-store').json(answer);
  });

  router.post('/login', jsonBody, async (req, res) => {
    const { email, password } = parseInput(logInFields, req.body);
    const accountId = deps.accountIdOf(email);
    const { state } = await deps.commands.load(account, accountId);
    if (!(await hashing(() => passwordMatches(state?.passwordHash ?? null, password))) || !state) throw new DomainError('LOGIN_FAILED');
    const answer: SessionAnswer = {
      success: true,
      user: view(state),
      token: await deps.sessions.open(accountId),
      message: 'Welcome back',
      verificationRequired: !state.emailVerified,
    };
    res.setHeader('Cache-Control', 'no-store').json(answer);
  });

  router.post('/logout', async (req, res) => {
    const { token } = await deps.authentication.require(req);
    await deps.sessions.revoke(token);
    res.json({ success: true, message: 'Logged out' });
  });

  router.post('/verify', async (req, res) => {
    const { user } = await deps.authentication.require(req);
    const answer: UserAnswer = { success: true, user, message: 'Session is valid' };
    res.setHeader('Cache-Control', 'no-store').json(answer);
  });

  router.post('/verify-email', jsonBody, async (req, res) => {
    const { email, code } = parseInput(verifyEmailFields, req.body);
    const accountId = deps.accountIdOf(email);
    const handled = await deps.commands.handle(
      account,
      accountId,
      (state, context) => verifyEmail({ code }, state, deps.codeOf, context),
      originFor(accountId, res),
    );
    const state = registered(handled.state);
    if (!handled.events.some((event) => event.type === 'EmailVerified')) throw new DomainError('VERIFICATION_FAILED');
    const answer: UserAnswer = { success: true, user: view(state), message: 'E-mail verified' };
    setRevision(res, handled);
    res.setHeader('Cache-Control', 'no-store').json(answer);
  });

  router.post('/resend-verification', jsonBody, async (req, res) => {
    const given = emailOnly.safeParse(req.body);
    if (!given.success || given.data.email.trim() === '') throw new DomainError('NO_USER_EMAIL');
    const accountId = deps.accountIdOf(given.data.email);
    const answer = { success: true, message: 'If this address has an account that is not verified yet, a new code is on its way.' } as const;
    const resent = deps.commands.handle(account, accountId, (state, context) => (state ? resendVerification(state, context) : []), originFor(accountId, res));
    res.setHeader('Cache-Control', 'no-store');
    if (!deps.exposeCodes) {
      // Neither the answer nor its time may tell whether the address has an account.
      resent.catch((err: unknown) => (err instanceof DomainError ? undefined : deps.log.error({ err }, 'verification code could not be issued')));
      res.json(answer satisfies ResendAnswer);
      return;
    }
    const { events, state } = await resent;
    res.json({ ...answer, ...(events.length > 0 && exposedCode(state)) } satisfies ResendAnswer);
  });

  return router;
}

/** An account that a command has just succeeded on is there. */
function registered(state: AccountState): RegisteredAccount {
  if (!state) throw new DomainError('VERIFICATION_FAILED');
  return state;
}
