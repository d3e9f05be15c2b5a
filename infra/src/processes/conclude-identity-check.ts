import {
  sendCommand,
  account,
  checkToConclude,
  destructionOf,
  identity,
  identityBlobPrefix,
  person,
  verificationOf,
  type BlobStore,
  type Position,
} from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin } from '../service/command-handler.ts';

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
  return (await sendCommand(commands, destructionOf(check, accountId), origin)).position;
}

async function isHeld(commands: CommandHandler, accountId: string): Promise<boolean> {
  return (await commands.load(person, accountId)).state.heldSince !== null;
}
