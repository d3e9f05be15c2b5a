import {
  account,
  DomainError,
  resendVerification,
  verifyEmail,
  verifyEmailFields,
  type AccountState,
  type DecisionContext,
  type RegisteredAccount,
  type ResendAnswer,
} from '@alpenglow/domain';
import { jsonBody, parseInput, setPosition } from '@alpenglow/infra';
import { Router, type Request } from 'express';
import * as z from 'zod/mini';
import { answer, exposedCode, originOf, userAnswer } from './answers.ts';
import { inBackground } from './background.ts';
import type { AuthDependencies } from './dependencies.ts';
import { refusingAlike } from './refusing-alike.ts';

const someEmail = z.object({ email: z.string().check(z.trim(), z.minLength(1)) });

/** The address a request is about. Refuses with NO_USER_EMAIL where there is none (specification, sections 5 and 8). */
function requireEmail(body: unknown): string {
  const given = someEmail.safeParse(body);
  if (!given.success) throw new DomainError('NO_USER_EMAIL');
  return given.data.email;
}

/** `POST /auth/verify-email` and `/auth/resend-verification` of the specification, section 7. */
export function verificationRoutes(deps: AuthDependencies): Router {
  const router = Router();

  router.post('/verify-email', jsonBody, async (req, res) => {
    requireEmail(req.body);
    const { email, code } = parseInput(verifyEmailFields, req.body);
    const accountId = deps.accountIdOf(email);
    const isStandIns = (await askerOf(deps, req))?.repeatOf === accountId;
    const handled = await refusingAlike('VERIFICATION_FAILED', async () => {
      const decide = (state: AccountState, context: DecisionContext) => {
        const events = verifyEmail({ code }, state, deps.codeOf, context);
        // The right code from whoever signed up second: the mailbox is theirs, and the account somebody else's, who must not get it verified by them.
        return isStandIns && events.some(({ type }) => type === 'EmailVerified') ? [] : events;
      };
      const tried = await deps.commands.handle(account, accountId, decide, originOf(accountId, res));
      if (!tried.events.some(({ type }) => type === 'EmailVerified')) throw new DomainError('VERIFICATION_FAILED');
      return tried;
    });
    setPosition(res, handled);
    // Only an account can have been verified.
    answer(res, userAnswer(handled.state as RegisteredAccount, deps, 'E-mail verified'));
  });

  router.post('/resend-verification', jsonBody, async (req, res) => {
    const accountId = deps.accountIdOf(requireEmail(req.body));
    const resent = deps.commands.handle(
      account,
      accountId,
      (state, context) => (state ? resendVerification(state, context) : []),
      originOf(accountId, res),
    );
    const same: ResendAnswer = {
      success: true,
      message: 'If this address has an account that is not verified yet, a new code is on its way.',
    };
    if (!deps.exposeCodes) {
      inBackground(resent, deps.log, 'verification code could not be issued');
      answer(res, same);
      return;
    }
    const { events, state } = await resent;
    answer(res, { ...same, ...(events.length > 0 && exposedCode(state, deps)) });
  });

  return router;
}

/** Whoever is signed in; a session is not needed, so that one that is over is none. */
async function askerOf({ authentication }: AuthDependencies, req: Request): Promise<RegisteredAccount | null> {
  try {
    return (await authentication.optional(req))?.account ?? null;
  } catch (error) {
    if (error instanceof DomainError) return null;
    throw error;
  }
}
