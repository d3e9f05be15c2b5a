import { verifyAccountByAdmin } from '../account/decide.ts';
import { account, type AccountState } from '../account/state.ts';
import { destroyIdentityEvidence } from '../identity/decide.ts';
import { identity, isRequestOfOwner, type IdentityCheck, type IdentityState } from '../identity/state.ts';
import { processCommand, type ProcessCommand } from './process-command.ts';

/**
 * Returns the identity check of an account if the check must be concluded, which means that its pictures must be
 * destroyed. Returns null if the check still waits for a decision, or if its pictures are already destroyed. If the
 * account that requested the check was closed, the check is concluded without a decision. A later account with the same
 * e-mail address counts as a different account.
 */
export function checkToConclude(check: IdentityState, owner: AccountState): IdentityCheck | null {
  if (!check || check.isDestroyed) return null;
  return check.status === 'open' && isRequestedBy(owner, check) ? null : check;
}

/**
 * Returns the command that verifies an account whose identity check was accepted. Returns null if the check was not
 * accepted, or if the account that requested it was closed.
 */
export function verificationOf(check: IdentityCheck, accountId: string, owner: AccountState): ProcessCommand | null {
  if (check.status !== 'accepted' || !isRequestedBy(owner, check)) return null;
  return processCommand(account, accountId, (current, context) =>
    isRequestedBy(current, check) ? verifyAccountByAdmin({ reason: check.reason }, current, context) : [],
  );
}

/**
 * Returns the command that records that the pictures of an identity check were destroyed. The caller must remove the
 * pictures before it sends the command.
 */
export function destructionOf({ checkId }: IdentityCheck, accountId: string): ProcessCommand {
  return processCommand(identity, accountId, (current, context) =>
    current?.checkId === checkId ? destroyIdentityEvidence({ accountId }, current, context) : [],
  );
}

function isRequestedBy(owner: AccountState, check: IdentityCheck): boolean {
  return owner !== null && isRequestOfOwner(check, owner);
}
