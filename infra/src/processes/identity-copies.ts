import {
  sendCommand,
  account,
  destroyIdentityCopyCommand,
  identity,
  identityBlobPrefix,
  person,
  rejectIdentityCopyCommand,
  type BlobStore,
  type IdentityCopy,
  type Position,
} from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin } from '../service/command-handler.ts';
import { concludeIdentityCheck } from './conclude-identity-check.ts';

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
): Promise<{ readonly writes: readonly { readonly position: Position | null }[]; readonly isDestroyed: boolean }> {
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
  const destroyed = await sendCommand(commands, destroyIdentityCopyCommand(copy), origin);
  return { writes: [...writes, destroyed], isDestroyed: true };
}
