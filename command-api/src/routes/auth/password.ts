import { account, DomainError, type RegisteredAccount } from '@alpenglow/domain';
import { changePassword, issuePasswordReset, resetPassword } from '@alpenglow/domain/deciders';
import { createOperationRouter, getInput, setPosition } from '@alpenglow/infra';
import { runFollowUp } from '../../follow-up.ts';
import { sendResponse } from './responses.ts';
import { runInBackground } from './background.ts';
import type { AuthDependencies } from './dependencies.ts';
import { createAccountOrigin } from '../../origin.ts';
import { withEqualErrorTime } from './equal-error-time.ts';

/**
 * `POST /auth/change-password`, `/auth/forgot-password` and `/auth/reset-password`.
 */
export function passwordRoutes(deps: AuthDependencies) {
  const router = createOperationRouter();

  router.on('changePassword', async (req, res) => {
    const { account: caller, token } = await deps.authentication.require(req);
    const { currentPassword, newPassword } = getInput(req);
    if (!caller.emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
    if (!(await deps.passwords.matches(caller.passwordHash, currentPassword))) throw new DomainError('WRONG_PASSWORD');
    const passwordHash = await deps.passwords.hash(newPassword);
    const { accountId } = caller;
    const origin = createAccountOrigin(accountId, res);
    const handled = await deps.commands.execute(account, accountId, changePassword, { passwordHash }, origin);
    // The account has a new password version, which makes all sessions invalid. The current session is updated to this
    // version, so that the user remains signed in. If the update fails, the user must log in again.
    const passwordVersion = requirePasswordVersion(handled.state);
    await runFollowUp(deps.log, 'renew the session', () => deps.sessions.updatePasswordVersion(token, passwordVersion));
    setPosition(res, handled);
    sendResponse(res, { success: true, message: 'Password changed' });
  });

  router.on('forgotPassword', (req, res) => {
    const { email } = getInput(req);
    const accountId = deps.createAccountId(email);
    const origin = createAccountOrigin(accountId, res);
    const issued = deps.commands.execute(account, accountId, issuePasswordReset, {}, origin);
    runInBackground(issued, deps.log, 'password reset could not be issued');
    sendResponse(res, {
      success: true,
      message: 'If this address has an account, a code to reset its password is on its way.',
    });
  });

  router.on('resetPassword', async (req, res) => {
    const { email, code, newPassword } = getInput(req);
    const accountId = deps.createAccountId(email);
    const handled = await withEqualErrorTime('RESET_FAILED', async () => {
      const passwordHash = await deps.passwords.hash(newPassword);
      const command = { code, passwordHash, deriveCode: deps.createVerificationCode };
      const origin = createAccountOrigin(accountId, res);
      const attempt = await deps.commands.execute(account, accountId, resetPassword, command, origin);
      if (!attempt.events.some(({ type }) => type === 'PasswordChanged')) throw new DomainError('RESET_FAILED');
      return attempt;
    });
    // The request succeeds even if this step fails, because the new password version has already made all sessions
    // invalid.
    await runFollowUp(deps.log, 'end sessions', () => deps.sessions.revokeAll(accountId));
    setPosition(res, handled);
    sendResponse(res, { success: true, message: 'Password reset. Please log in with the new one.' });
  });

  return router;
}

function requirePasswordVersion(state: RegisteredAccount | null): number {
  if (!state) throw new DomainError('AUTHENTICATION_REQUIRED');
  return state.passwordVersion;
}
