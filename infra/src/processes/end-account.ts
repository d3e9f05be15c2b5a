import {
  account,
  DomainError,
  endAccountCommands,
  isStandIn,
  type EndAccountOptions,
  type Position,
  type ProcessCommand,
} from '@alpenglow/domain';
import type { Sessions } from '../adapters/postgres/sessions.ts';
import type { CommandHandler, CommandOrigin } from '../service/command-handler.ts';
import { findLastPosition } from './last-position.ts';
import { sendCommand } from './send-command.ts';

export interface EndAccountDependencies {
  readonly commands: CommandHandler;
  readonly sessions: Pick<Sessions, 'revokeAll'>;
}

/**
 * Ends an account, its sessions and everything that `endAccountCommands` lists. A repeated call completes an
 * interrupted one, because each step may already be done. Returns the revision of the account and the position of the
 * last write. Throws USER_NOT_FOUND if no user ever had this id.
 */
export async function endAccount(
  { commands, sessions }: EndAccountDependencies,
  accountId: string,
  origin: CommandOrigin,
  options: EndAccountOptions = {},
): Promise<{ readonly revision: number; readonly position: Position | null }> {
  const { state, revision } = await commands.load(account, accountId);
  if (revision < 0 || (state && isStandIn(state))) throw new DomainError('USER_NOT_FOUND');

  const { removeAd, removeFavorites, unfollowThreads, close } = endAccountCommands(accountId, options);
  const send = (command: ProcessCommand) => sendCommand(commands, command, origin);
  const removed = await send(removeAd);
  const emptied = await send(removeFavorites);
  const unfollowed = await send(unfollowThreads);
  // Sessions are revoked before the account is closed, in case the call is interrupted after that. A person who then
  // registers the same address gets no old session. New sessions are revoked after closing.
  await sessions.revokeAll(accountId);
  const closed = await send(close);
  await sessions.revokeAll(accountId);
  // The account may have posted another ad before it was closed, so this ad is removed too.
  const removedLast = await send(removeAd);
  return { revision: closed.revision, position: findLastPosition([removed, emptied, unfollowed, closed, removedLast]) };
}
