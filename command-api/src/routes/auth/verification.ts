import { account, DomainError, type RegisteredAccount, type ResendResponse, type SignUpProof } from '@alpenglow/domain';
import { resendVerification, verifyEmail } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, setPosition } from '@alpenglow/infra';
import type { Request } from 'express';
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
    const { accountId, proof } = await findSignUp(deps, req, email);
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
    const { accountId, proof } = await findSignUp(deps, req, requireEmail(req.body));
    const resending = deps.commands.handle(
      account,
      accountId,
      (state, context) => (state ? resendVerification({ proof }, state, context) : []),
      createAccountOrigin(accountId, res),
    );
    const response: ResendResponse = {
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

/**
 * Returns the account that the client has signed up with, and the proof that it did. If the client has a
 * session of this e-mail address, it is the account of the session, which may be a stand-in account.
 */
async function findSignUp(
  deps: AuthDependencies,
  req: Request,
  email: string,
): Promise<{ readonly accountId: string; readonly proof: SignUpProof }> {
  const ownId = deps.createAccountId(email);
  const browser = deps.browsers.findHash(req, ownId);
  const caller = await findCaller(deps, req);
  return caller !== null && deps.createAccountId(caller.email) === ownId
    ? { accountId: caller.accountId, proof: { passwordVersion: caller.passwordVersion, browser } }
    : { accountId: ownId, proof: { passwordVersion: null, browser } };
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
