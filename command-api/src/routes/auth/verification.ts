import { account, DomainError, type RegisteredAccount, type ResponseOf, type SignUpProof } from '@alpenglow/domain';
import { resendVerification, verifyEmail } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, setPosition } from '@alpenglow/infra';
import type { Request, Response } from 'express';
import * as z from 'zod/mini';
import { sendResponse, getExposedCode, createUserResponse } from './responses.ts';
import { runInBackground } from './background.ts';
import type { AuthDependencies } from './dependencies.ts';
import { createAccountOrigin } from '../../origin.ts';
import { withEqualErrorTime } from './equal-error-time.ts';

const emailFields = z.object({ email: z.string().check(z.trim(), z.minLength(1)) });

/** Returns the e-mail address in the request body. Throws NO_USER_EMAIL if the address is missing. */
function requireEmail(body: unknown): string {
  const parsed = emailFields.safeParse(body);
  if (!parsed.success) throw new DomainError('NO_USER_EMAIL');
  return parsed.data.email;
}

/** `POST /auth/verify-email` and `/auth/resend-verification`. */
export function verificationRoutes(deps: AuthDependencies) {
  const router = createOperationRouter();

  router.on('verifyEmail', async (req, res) => {
    requireEmail(req.body);
    const { email, code } = getInput(req);
    const { accountId, proof } = await findSignUp(deps, req, email, await findCaller(deps, req));
    const handled = await withEqualErrorTime('VERIFICATION_FAILED', async () => {
      const command = { code, proof, deriveCode: deps.createVerificationCode };
      const origin = createAccountOrigin(accountId, res);
      const attempt = await deps.commands.execute(account, accountId, verifyEmail, command, origin);
      if (!attempt.events.some(({ type }) => type === 'EmailVerified')) throw new DomainError('VERIFICATION_FAILED');
      return attempt;
    });
    setPosition(res, handled);
    deps.browsers.markKnown(req, res, accountId);
    // The state of the account is not null, because an event of the account was written.
    sendResponse(res, createUserResponse(handled.state as RegisteredAccount, deps, 'E-mail verified'));
  });

  router.on('resendVerification', async (req, res) => {
    const email = requireEmail(req.body);
    const resending = resend(deps, res, findSignUp(deps, req, email, await findCaller(deps, req)));
    const response: ResponseOf<'resendVerification'> = {
      success: true,
      message: 'If this address has an account that is not verified yet, a new code is on its way.',
    };
    if (!deps.exposeCodes) {
      runInBackground(resending, deps.log, 'verification code could not be issued');
      sendResponse(res, response);
      return;
    }
    const { events, state } = await resending;
    sendResponse(res, { ...response, ...(events.length > 0 && getExposedCode(state, deps)) });
  });

  return router;
}

interface FoundSignUp {
  readonly accountId: string;
  readonly proof: SignUpProof;
}

async function resend({ commands }: AuthDependencies, res: Response, found: Promise<FoundSignUp>) {
  const { accountId, proof } = await found;
  return commands.handle(
    account,
    accountId,
    (state, context) => (state ? resendVerification({ proof }, state, context) : []),
    createAccountOrigin(accountId, res),
  );
}

/**
 * Returns the account that the client has signed up with, and the proof that it did. If the client has a
 * session of this e-mail address, it is the account of the session. Otherwise, it is the account that the browser has
 * signed up with. Both may be a stand-in account. Two accounts are loaded in any case, so that the duration does not
 * show which one was found.
 */
async function findSignUp(
  deps: AuthDependencies,
  req: Request,
  email: string,
  caller: RegisteredAccount | null,
): Promise<FoundSignUp> {
  const ownId = deps.createAccountId(email);
  const browser = deps.browsers.findHash(req, ownId);
  const [own, standIn] = await Promise.all([
    deps.commands.load(account, ownId),
    deps.commands.load(account, deps.createStandInId(email)),
  ]);
  if (caller !== null && deps.createAccountId(caller.email) === ownId)
    return { accountId: caller.accountId, proof: { passwordVersion: caller.passwordVersion, browser } };
  const isOfStandIn = browser !== null && own.state?.browser !== browser && standIn.state?.browser === browser;
  const accountId = isOfStandIn ? standIn.state.accountId : ownId;
  return { accountId, proof: { passwordVersion: null, browser } };
}

/**
 * Returns the account of the caller. Returns null if the request has no valid session, because the operation does not
 * require one.
 */
async function findCaller({ authentication }: AuthDependencies, req: Request): Promise<RegisteredAccount | null> {
  try {
    return (await authentication.findPrincipal(req))?.account ?? null;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}
