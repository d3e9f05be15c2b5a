import type { AccountState } from '../account/state.ts';
import { decideIdentityCheck, destroyIdentityEvidence } from '../identity/decide.ts';
import { identity, isRequestOfOwner, type IdentityState } from '../identity/state.ts';
import type { IdentityCopy } from '../removal/commands.ts';
import { recordIdentityCopies } from '../removal/decide.ts';
import { IDENTITY_COPY_REASON } from '../removal/fields.ts';
import { removal } from '../removal/state.ts';
import { processCommand, type ProcessCommand } from './process-command.ts';

/**
 * Returns the command that records which identity checks have copies, before their pictures are destroyed.
 */
export function recordIdentityCopiesCommand(requestId: string, copies: readonly IdentityCopy[]): ProcessCommand {
  return processCommand(removal, requestId, (state, context) => recordIdentityCopies({ copies }, state, context));
}

/**
 * Returns the command that rejects an identity check whose pictures are copies, if it waits for a decision. Returns
 * null if it does not, or if its account was closed, which concludes it.
 */
export function rejectIdentityCopyCommand(
  { accountId, checkId }: IdentityCopy,
  state: IdentityState,
  owner: AccountState,
): ProcessCommand | null {
  if (state?.checkId !== checkId || state.status !== 'open' || owner === null || !isRequestOfOwner(state, owner))
    return null;
  const decision = { accountId, isAccepted: false, reason: IDENTITY_COPY_REASON };
  return processCommand(identity, accountId, (current, context) =>
    current?.checkId === checkId && current.status === 'open'
      ? decideIdentityCheck({ ...decision, owner }, current, context)
      : [],
  );
}

/** Returns the command that records that the pictures of an identity check with copies were destroyed. */
export function destroyIdentityCopyCommand({ accountId, checkId }: IdentityCopy): ProcessCommand {
  return processCommand(identity, accountId, (current, context) =>
    current?.checkId === checkId ? destroyIdentityEvidence({ accountId }, current, context) : [],
  );
}
