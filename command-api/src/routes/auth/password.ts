import {
  account,
  DomainError,
  type AccountState,
  type DecisionContext,
  type DomainEvent,
  type Position,
  type RegisteredAccount,
  type ResetPassword,
  endEarlierSignUps,
  findLastPosition,
} from '@alpenglow/domain';
import type { InputOf } from '@alpenglow/domain/api';
import { changePassword, closeStandIn, issuePasswordReset, resetPassword } from '@alpenglow/domain/deciders';
import {
  createOperationRouter,
  getInput,
  requireImpersonalPassword,
  requireStrongPassword,
  setPosition,
  type CommandOrigin,
} from '@alpenglow/infra';
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
    const { account: caller, token, sessionId } = await deps.authentication.require(req);
    const { currentPassword, newPassword } = getInput(req);
    if (!caller.emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
    if (!(await deps.passwords.matches(caller.passwordHash, currentPassword))) throw new DomainError('WRONG_PASSWORD');
    await requireStrongPassword(newPassword, caller, 'newPassword');
    const passwordHash = await deps.passwords.hash(newPassword);
    const { accountId } = caller;
    const origin = createAccountOrigin(accountId, res);
    const handled = await deps.commands.execute(account, accountId, changePassword, { passwordHash }, origin);
    // The account has a new password version, which makes all sessions invalid. The current session is updated to this
    // version, so that the user remains signed in. If the update fails, the user must log in again.
    const passwordVersion = requirePasswordVersion(handled.state);
    await runFollowUp(deps.log, 'renew the session', async () => {
      await deps.sessions.updatePasswordVersion(token, passwordVersion);
      await deps.sessions.revokeOthers(accountId, sessionId);
    });
    setPosition(res, handled);
    sendResponse(res, { success: true, message: 'Password changed' });
  });

  router.on('forgotPassword', (req, res) => {
    const { email } = getInput(req);
    const accountId = deps.createAccountId(email);
    const origin = createAccountOrigin(accountId, res);
    const requesters = deps.browsers.identifyRequesters(req, res, accountId);
    const issued = deps.commands.execute(account, accountId, issuePasswordReset, { requesters }, origin);
    runInBackground(issued, deps.log, 'password reset could not be issued');
    sendResponse(res, {
      success: true,
      message: 'If this address has an account, a code to reset its password is on its way.',
    });
  });

  router.on('resetPassword', async (req, res) => {
    const { email, code, newPassword, ...fields } = getInput(req);
    await requireStrongPassword(newPassword, { email }, 'newPassword');
    const accountId = deps.createAccountId(email);
    const origin = createAccountOrigin(accountId, res);
    const handled = await withEqualErrorTime('RESET_FAILED', async () => {
      const passwordHash = await deps.passwords.hash(newPassword);
      const profile = findProfile(fields);
      const command = {
        code,
        passwordHash,
        requesters: deps.browsers.findRequesters(req, accountId),
        deriveCode: deps.createVerificationCode,
        profile,
      };
      const decide = (state: AccountState, context: DecisionContext) => {
        const events = resetPassword(command, state, context);
        // The name of the account may affect the response only after the code was accepted.
        if (state && !hasFailed(events))
          requireImpersonalPassword(newPassword, state.emailVerified ? state : { ...state, ...profile }, 'newPassword');
        return events;
      };
      const attempt = await deps.commands.handle(account, accountId, decide, origin);
      if (hasFailed(attempt.events)) throw new DomainError('RESET_FAILED');
      return attempt;
    });
    // The request succeeds even if this step fails, because the new password version has already made all sessions
    // invalid.
    await runFollowUp(deps.log, 'end sessions', () => deps.sessions.revokeAll(accountId));
    const ended = await runFollowUp(deps.log, 'end other sign-ups', () =>
      endOtherSignUps(deps, { email, ...handled }, origin),
    );
    setPosition(res, { position: findLastPosition([handled, { position: ended }]) });
    sendResponse(res, { success: true, message: 'Password reset. Please log in with the new one.' });
  });

  return router;
}

const hasFailed = (events: readonly DomainEvent[]) => events.some(({ type }) => type === 'PasswordResetFailed');

/** Returns the new data of an account, or undefined if the request does not contain all of it. */
function findProfile({
  userType,
  displayName,
  age,
}: Pick<InputOf<'resetPassword'>, 'userType' | 'displayName' | 'age'>): ResetPassword['profile'] {
  return userType === undefined || displayName === undefined || age === undefined
    ? undefined
    : { userType, displayName, age };
}

/**
 * Ends all other sign-ups with an e-mail address after a reset, because the reset proves access to the mailbox. Returns
 * the position of the last write, or null if nothing was written.
 */
async function endOtherSignUps(
  deps: AuthDependencies,
  { email, state, events }: { email: string; state: AccountState; events: readonly DomainEvent[] },
  origin: CommandOrigin,
): Promise<Position | null> {
  const isNewAccount = events.some(({ type }) => type === 'AccountRegistered');
  const position = state && isNewAccount ? await endEarlierSignUps(deps, state, origin) : null;
  const standInId = deps.createStandInId(email);
  const closed = await deps.commands.execute(account, standInId, closeStandIn, {}, origin);
  await deps.sessions.revokeAll(standInId);
  return findLastPosition([{ position }, closed]);
}

function requirePasswordVersion(state: RegisteredAccount | null): number {
  if (!state) throw new DomainError('AUTHENTICATION_REQUIRED');
  return state.passwordVersion;
}
