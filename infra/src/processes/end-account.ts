import {
  account,
  closeAccountCommand,
  contentOfClosed,
  DomainError,
  favorites,
  follows,
  isStandIn,
  listing,
  removeContentCommands,
  type EndAccountOptions,
  type Position,
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
  const { reason = null, registeredBy } = options;
  if (state && registeredBy !== undefined && state.registeredAt > registeredBy) return { revision, position: null };
  // Any account that is registered from now on is another one.
  const ended = { reason, registeredBy: state?.registeredAt ?? '' };

  const removed = await removeContent(commands, accountId, origin, ended);
  // Sessions are revoked before the account is closed, in case the call is interrupted between the two steps.
  // Otherwise, old sessions would become valid again when the same address is registered again. Sessions that are
  // opened in the meantime are revoked after closing.
  await sessions.revokeByIds(earlierSessions);
  const closed = await sendCommand(commands, closeAccountCommand(accountId, ended), origin);
  if (closed.events.length > 0) await sessions.revokeAll(accountId);
  // The account may have changed its ad, favorites or followed threads before it was closed, so they are removed again.
  const removedAgain = await removeContent(commands, accountId, origin, ended);
  return { revision: closed.revision, position: findLastPosition([...removed, closed, ...removedAgain]) };
}

/**
 * Removes what belongs to the account that is ended. The content is loaded before the account, and the commands name
 * it. So they remove nothing of a new account with the same id, which can only add content after it is registered.
 */
async function removeContent(
  commands: CommandHandler,
  accountId: string,
  origin: CommandOrigin,
  { reason, registeredBy }: Required<EndAccountOptions>,
) {
  const [slot, favored, followed] = [
    (await commands.load(listing, accountId)).state,
    (await commands.load(favorites, accountId)).state,
    (await commands.load(follows, accountId)).state,
  ];
  const { state } = await commands.load(account, accountId);
  const successor = state && state.registeredAt > registeredBy ? state : null;
  const content = contentOfClosed(slot, favored, followed, successor);
  const results = [];
  for (const command of removeContentCommands(accountId, content, reason))
    results.push(await sendCommand(commands, command, origin));
  return results;
}
