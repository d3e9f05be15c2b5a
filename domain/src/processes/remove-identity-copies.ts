import { account, type AccountState } from '../account/state.ts';
import { decideIdentityCheck } from '../identity/decide.ts';
import { identity, identityBlobPrefix, isRequestOfOwner, type IdentityState } from '../identity/state.ts';
import type { IdentityCopy } from '../removal/commands.ts';
import { recordIdentityCopies } from '../removal/decide.ts';
import { IDENTITY_COPY_REASON } from '../removal/fields.ts';
import { removal } from '../removal/state.ts';
import { person } from '../person/state.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { CommandHandler, CommandOrigin } from '../ports/command-handler.ts';
import type { Writes } from '../ports/event-store.ts';
import { concludeIdentityCheck, identityDestroyedCommand } from './conclude-identity-check.ts';
import { processCommand, sendCommand, type ProcessCommand } from './process-command.ts';

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
function rejectIdentityCopyCommand(
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

/**
 * Removes the pictures of an identity check that contain a copy of a picture of a valid removal request. A
 * check that waits for a decision is rejected, because it cannot be decided without its pictures. One that was decided
 * is concluded first, so that an accepted account is verified although its pictures are destroyed. While a legal hold
 * forbids it, the encrypted pictures remain, and the task `sweep-expired` destroys them later. `isDestroyed` is then
 * false. Each step may already be done.
 */
export async function removeIdentityCopy(
  { commands, blobs }: { readonly commands: CommandHandler; readonly blobs: BlobStore },
  copy: IdentityCopy,
  origin: CommandOrigin,
): Promise<{ readonly writes: Writes; readonly isDestroyed: boolean }> {
  const { accountId, checkId } = copy;
  const [{ state }, { state: owner }, { state: held }] = await Promise.all([
    commands.load(identity, accountId),
    commands.load(account, accountId),
    commands.load(person, accountId),
  ]);
  const rejection = rejectIdentityCopyCommand(copy, state, owner);
  const rejected = rejection ? [await sendCommand(commands, rejection, origin)] : [];
  const isLatest = state?.checkId === checkId;
  const concluded = isLatest ? [{ position: await concludeIdentityCheck({ commands, blobs }, accountId, origin) }] : [];
  const writes = [...rejected, ...concluded];
  if (held.heldSince !== null) return { writes, isDestroyed: false };
  await blobs.remove(identityBlobPrefix(checkId));
  const destroyed = await sendCommand(commands, identityDestroyedCommand(accountId, checkId), origin);
  return { writes: [...writes, destroyed], isDestroyed: true };
}
