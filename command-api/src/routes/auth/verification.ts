import {
  account,
  DomainError,
  type AccountState,
  type DecisionContext,
  type RegisteredAccount,
  type ResendResponse,
} from '@alpenglow/domain';
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
    const accountId = deps.createAccountId(email);
    const isStandInOfAccount = (await findCaller(deps, req))?.standInFor === accountId;
    const handled = await withEqualErrorTime('VERIFICATION_FAILED', async () => {
      const decide = (state: AccountState, context: DecisionContext) => {
        const events = verifyEmail({ code, deriveCode: deps.createVerificationCode }, state, context);
        // The code is correct, but the caller's account was created by a repeated sign-up with the same e-mail address.
        // The account of the first sign-up may belong to another person, so the caller must not verify it.
        return isStandInOfAccount && events.some(({ type }) => type === 'EmailVerified') ? [] : events;
      };
      const attempt = await deps.commands.handle(account, accountId, decide, createAccountOrigin(accountId, res));
      if (!attempt.events.some(({ type }) => type === 'EmailVerified')) throw new DomainError('VERIFICATION_FAILED');
      return attempt;
    });
    setPosition(res, handled);
    // The state of the account is not null, because an event of the account was written.
    sendResponse(res, createUserResponse(handled.state as RegisteredAccount, deps, 'E-mail verified'));
  });

  router.on('resendVerification', async (req, res) => {
    const accountId = deps.createAccountId(requireEmail(req.body));
    const resending = deps.commands.handle(
      account,
      accountId,
      (state, context) => (state ? resendVerification({}, state, context) : []),
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
