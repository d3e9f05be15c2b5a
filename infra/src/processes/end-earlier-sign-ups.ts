import { removeContentCommands, type Position, type RegisteredAccount } from '@alpenglow/domain';
import type { Sessions } from '../adapters/postgres/sessions.ts';
import type { CommandHandler, CommandOrigin } from '../service/command-handler.ts';
import { findLastPosition } from './last-position.ts';
import { sendCommand } from './send-command.ts';

/**
 * Ends the sign-ups that the given one has replaced, because they may belong to other persons. Ends their
 * sessions, and removes the ad, the favorites and the followed threads that they left in this account. The same work is
 * done if there was no earlier sign-up, so the duration does not show whether the e-mail address is known. Returns the
 * position of the last write, or null if nothing was written.
 */
export async function endEarlierSignUps(
  { commands, sessions }: { readonly commands: CommandHandler; readonly sessions: Pick<Sessions, 'revokeEarlier'> },
  { accountId, passwordVersion }: Pick<RegisteredAccount, 'accountId' | 'passwordVersion'>,
  origin: CommandOrigin,
): Promise<Position | null> {
  // The new account has nothing yet, because its owner waits for this.
  const commandsOfAll = removeContentCommands(accountId, null);
  const [writes] = await Promise.all([
    Promise.all(commandsOfAll.map((command) => sendCommand(commands, command, origin))),
    sessions.revokeEarlier(accountId, passwordVersion),
  ]);
  return findLastPosition(writes);
}
