import { account, DomainError, resendVerification, verifyEmail, verifyEmailFields, type RegisteredAccount, type ResendAnswer } from '@alpenglow/domain';
import { jsonBody, parseInput, setPosition } from '@alpenglow/infra';
import { Router } from 'express';
import * as z from 'zod/mini';
import { answer, exposedCode, originOf, userAnswer } from './answers.ts';
import { inBackground } from './background.ts';
import type { AuthDependencies } from './dependencies.ts';
import { refusingAlike } from './refusing-alike.ts';

const emailOnly = z.object({ email: z.string() });

/** `POST /auth/verify-email` and `/auth/resend-verification` of the specification, section 7. */
export function verificationRoutes(deps: AuthDependencies): Router {
  const router = Router();

  router.post('/verify-email', jsonBody, async (req, res) => {
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
    const given = emailOnly.safeParse(req.body);
    if (!given.success || given.data.email.trim() === '') throw new DomainError('NO_USER_EMAIL');
    const accountId = deps.accountIdOf(given.data.email);
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
