import { account } from '@alpenglow/domain';
import type { CommandHandler } from '../command-handling.ts';

/** Whether the account with this id is one that somebody has opened after `at` (ISO 8601): what was decided about the one before it is not about theirs. */
export async function hasRegisteredSince(
  commands: Pick<CommandHandler, 'load'>,
  accountId: string,
  at: string,
): Promise<boolean> {
  const { state } = await commands.load(account, accountId);
  return state !== null && state.registeredAt > at;
}
