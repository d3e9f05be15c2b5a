import { verifyAccountByAdmin } from '../account/decide.ts';
import { account, type AccountState } from '../account/state.ts';
import { destroyIdentityEvidence } from '../identity/decide.ts';
import {
  identity,
  identityBlobPrefix,
  isRequestOfOwner,
  type IdentityCheck,
  type IdentityState,
} from '../identity/state.ts';
import { person } from '../person/state.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { CommandHandler, CommandOrigin } from '../ports/command-handler.ts';
import type { Position } from '../ports/event-store.ts';
import { processCommand, sendCommand, type ProcessCommand } from './process-command.ts';

export interface IdentityDependencies {
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
}

/**
 * Concludes an identity check that was decided or whose account is closed. Marks the account as verified if the check
 * was accepted. Destroys the uploaded identity pictures, unless a legal hold forbids this. Each step may already be
 * done, so a repeated call completes an interrupted one. Returns the position of the last write, or null if there was
 * none.
 */
export async function concludeIdentityCheck(
  { commands, blobs }: IdentityDependencies,
  accountId: string,
  origin: CommandOrigin,
): Promise<Position | null> {
  const [{ state }, { state: owner }] = await Promise.all([
    commands.load(identity, accountId),
    commands.load(account, accountId),
  ]);
  const check = checkToConclude(state, owner);
  if (!check) return null;
  const verification = verificationOf(check, accountId, owner);
  const verified = verification && (await sendCommand(commands, verification, origin));
  if (await isHeld(commands, accountId)) return verified?.position ?? null;
  await blobs.remove(identityBlobPrefix(check.checkId));
  return (await sendCommand(commands, identityDestroyedCommand(accountId, check.checkId), origin)).position;
}

async function isHeld(commands: CommandHandler, accountId: string): Promise<boolean> {
  return (await commands.load(person, accountId)).state.heldSince !== null;
}

/**
 * Returns the identity check of an account if the check must be concluded, which means that its pictures must be
 * destroyed. Returns null if the check still waits for a decision, or if its pictures are already destroyed. If the
 * account that requested the check was closed, the check is concluded without a decision. A later account with the same
 * e-mail address counts as a different account.
 */
function checkToConclude(check: IdentityState, owner: AccountState): IdentityCheck | null {
  if (!check || check.isDestroyed) return null;
  return check.status === 'open' && isRequestedBy(owner, check) ? null : check;
}

/**
 * Returns the command that verifies an account whose identity check was accepted. Returns null if the check was not
 * accepted, or if the account that requested it was closed.
 */
function verificationOf(check: IdentityCheck, accountId: string, owner: AccountState): ProcessCommand | null {
  if (check.status !== 'accepted' || !isRequestedBy(owner, check)) return null;
  return processCommand(account, accountId, (current, context) =>
    isRequestedBy(current, check) ? verifyAccountByAdmin({ reason: check.reason }, current, context) : [],
  );
}

/** Returns the command that records that the pictures of a check were destroyed. They must be removed before it. */
export function identityDestroyedCommand(accountId: string, checkId: string): ProcessCommand {
  return processCommand(identity, accountId, (current, context) =>
    current?.checkId === checkId ? destroyIdentityEvidence({ accountId }, current, context) : [],
  );
}

function isRequestedBy(owner: AccountState, check: IdentityCheck): boolean {
  return owner !== null && isRequestOfOwner(check, owner);
}
