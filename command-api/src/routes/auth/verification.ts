import { account, DomainError, resendVerification, verifyEmail, verifyEmailFields, type RegisteredAccount, type ResendAnswer } from '@alpenglow/domain';
import { jsonBody, parseInput, setPosition } from '@alpenglow/infra';
import { Router } from 'express';
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
    const handled = await refusingAlike('VERIFICATION_FAILED', async () => {
      const tried = await deps.commands.handle(account, accountId, (state, context) => verifyEmail({ code }, state, deps.codeOf, context), originOf(accountId, res));
      if (!tried.events.some(({ type }) => type === 'EmailVerified')) throw new DomainError('VERIFICATION_FAILED');
      return tried;
    });
    setPosition(res, handled);
    // Only an account can have been verified.
    answer(res, userAnswer(handled.state as RegisteredAccount, deps, 'E-mail verified'));
  });

  router.post('/resend-verification', jsonBody, async (req, res) => {
    const accountId = deps.accountIdOf(requireEmail(req.body));
    const resent = deps.commands.handle(account, accountId, (state, context) => (state ? resendVerification(state, context) : []), originOf(accountId, res));
    const same: ResendAnswer = { success: true, message: 'If this address has an account that is not verified yet, a new code is on its way.' };
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
