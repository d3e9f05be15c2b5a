import {
  account,
  changePassword,
  changePasswordFields,
  DomainError,
  forgotPasswordFields,
  issuePasswordReset,
  resetPassword,
  resetPasswordFields,
  type RegisteredAccount,
} from '@alpenglow/domain';
import { jsonBody, parseInput, setPosition } from '@alpenglow/infra';
import { Router } from 'express';
import { afterwards } from '../../afterwards.ts';
import { answer, originOf } from './answers.ts';
import { inBackground } from './background.ts';
import type { AuthDependencies } from './dependencies.ts';
import { refusingAlike } from './refusing-alike.ts';

/** `POST /auth/change-password`, `/auth/forgot-password` and `/auth/reset-password` of the product decisions, "Payloads the specification leaves out". */
export function passwordRoutes(deps: AuthDependencies): Router {
  const router = Router();

  router.post('/change-password', jsonBody, async (req, res) => {
    const { account: asker, token } = await deps.authentication.require(req);
    const { currentPassword, newPassword } = parseInput(changePasswordFields, req.body);
    if (!asker.emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
    if (!(await deps.passwords.matches(asker.passwordHash, currentPassword))) throw new DomainError('WRONG_PASSWORD');
    const passwordHash = await deps.passwords.hash(newPassword);
    const { accountId } = asker;
    const handled = await deps.commands.handle(
      account,
      accountId,
      (state) => changePassword({ passwordHash }, state),
      originOf(accountId, res),
    );
    // The new password version has ended every session. The requesting session is renewed; if that fails, it ends too.
    const version = versionOf(handled.state);
    await afterwards(deps.log, 'move a session on', () => deps.sessions.moveOn(token, version));
    setPosition(res, handled);
    answer(res, { success: true, message: 'Password changed' });
  });

  router.post('/forgot-password', jsonBody, (req, res) => {
    const { email } = parseInput(forgotPasswordFields, req.body);
    const accountId = deps.accountIdOf(email);
    const issued = deps.commands.handle(account, accountId, issuePasswordReset, originOf(accountId, res));
    inBackground(issued, deps.log, 'password reset could not be issued');
    answer(res, {
      success: true,
      message: 'If this address has an account, a code to reset its password is on its way.',
    });
  });

  router.post('/reset-password', jsonBody, async (req, res) => {
    const { email, code, newPassword } = parseInput(resetPasswordFields, req.body);
    const accountId = deps.accountIdOf(email);
    const handled = await refusingAlike('RESET_FAILED', async () => {
      const passwordHash = await deps.passwords.hash(newPassword);
      const decide = (state: RegisteredAccount | null, context: Parameters<typeof resetPassword>[3]) =>
        resetPassword({ code, passwordHash }, state, deps.codeOf, context);
      const tried = await deps.commands.handle(account, accountId, decide, originOf(accountId, res));
      if (!tried.events.some(({ type }) => type === 'PasswordChanged')) throw new DomainError('RESET_FAILED');
      return tried;
    });
    // The new password version has already ended every session.
    await afterwards(deps.log, 'end sessions', () => deps.sessions.revokeAll(accountId));
    setPosition(res, handled);
    answer(res, { success: true, message: 'Password reset. Please log in with the new one.' });
  });

  return router;
}

function versionOf(state: RegisteredAccount | null): number {
  if (!state) throw new DomainError('AUTHENTICATION_REQUIRED');
  return state.passwordVersion;
}
