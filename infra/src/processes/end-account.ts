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
  readonly sessions: AccountSessions;
}

/** The operations on sessions that are needed to end an account. */
export type AccountSessions = Pick<Sessions, 'findIds' | 'revokeByIds' | 'revokeAll'>;

/**
 * Closes an account, ends its sessions, and removes its ad, favorites and followed threads. Each step may already be
 * done, so a repeated call completes an interrupted one. Returns the revision of the account and the position of the
 * last write. Throws USER_NOT_FOUND if no user ever had this id.
 */
export async function endAccount(
  { commands, sessions }: EndAccountDependencies,
  accountId: string,
  origin: CommandOrigin,
  options: EndAccountOptions = {},
): Promise<{ readonly revision: number; readonly position: Position | null }> {
  // A job repeats the closing. In the meantime, a new account may have been registered with the same address. It has
  // the same id, and its sessions must not end. The ids of the sessions to end are therefore read before the account.
  const earlierSessions = await sessions.findIds(accountId);
  const { state, revision } = await commands.load(account, accountId);
  if (revision < 0 || (state && isStandIn(state))) throw new DomainError('USER_NOT_FOUND');
  const { registeredBy } = options;
  if (state && registeredBy !== undefined && state.registeredAt > registeredBy) return { revision, position: null };

  const { removeAd, removeFavorites, unfollowThreads, close } = endAccountCommands(accountId, options);
  const send = (command: ProcessCommand) => sendCommand(commands, command, origin);
  const removed = await send(removeAd);
  const emptied = await send(removeFavorites);
  const unfollowed = await send(unfollowThreads);
  // Sessions are revoked before the account is closed, in case the call is interrupted between the two steps.
  // Otherwise, old sessions would become valid again when the same address is registered again. Sessions that are
  // opened in the meantime are revoked after closing.
  await sessions.revokeByIds(earlierSessions);
  const closed = await send(close);
  if (closed.events.length > 0) await sessions.revokeAll(accountId);
  // The account may have changed its ad, favorites or followed threads before it was closed, so they are removed again.
  const removedAgain = [await send(removeAd), await send(removeFavorites), await send(unfollowThreads)];
  return {
    revision: closed.revision,
    position: findLastPosition([removed, emptied, unfollowed, closed, ...removedAgain]),
  };
}
