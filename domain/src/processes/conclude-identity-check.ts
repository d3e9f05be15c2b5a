import { verifyAccountByAdmin } from '../account/decide.ts';
import { account, type AccountState } from '../account/state.ts';
import { destroyIdentityEvidence } from '../identity/decide.ts';
import { identity, isRequestOfOwner, type IdentityCheck, type IdentityState } from '../identity/state.ts';
import { processCommand, type ProcessCommand } from './process-command.ts';

/**
 * Returns the identity check of an account if it must be concluded, or null. The check must be decided, or its account
 * closed, and its evidence must still exist. A later account with the same address did not request the check.
 */
export function checkToConclude(check: IdentityState, owner: AccountState): IdentityCheck | null {
  if (!check || check.isDestroyed) return null;
  return check.status === 'open' && isRequestedBy(owner, check) ? null : check;
}

/**
 * Returns the command that verifies the account after an accepted check. Returns null if no account is to be verified.
 */
export function verificationOf(check: IdentityCheck, accountId: string, owner: AccountState): ProcessCommand | null {
  if (check.status !== 'accepted' || !isRequestedBy(owner, check)) return null;
  return processCommand(account, accountId, (current, context) =>
    isRequestedBy(current, check) ? verifyAccountByAdmin({ reason: check.reason }, current, context) : [],
  );
}

/** Returns the command that records that the evidence of a check was destroyed. Remove the files before sending it. */
export function destructionOf({ checkId }: IdentityCheck, accountId: string): ProcessCommand {
  return processCommand(identity, accountId, (current, context) =>
    current?.checkId === checkId ? destroyIdentityEvidence({ accountId }, current, context) : [],
  );
}

function isRequestedBy(owner: AccountState, check: IdentityCheck): boolean {
  return owner !== null && isRequestOfOwner(check, owner);
}
