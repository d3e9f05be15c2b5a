import { account, follows, type FollowMailMode, isStandIn } from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';

/** An account that may receive mails about community threads. */
export interface MailRecipient {
  readonly email: string;
  /** The mail settings of the followed threads, by thread id. */
  readonly threads: Readonly<Record<string, FollowMailMode>>;
}

/**
 * Returns the e-mail address and the followed threads of an account. Returns null if the account is closed or has not
 * verified its e-mail address. Also returns null for a stand-in account, which a repeated sign-up has created (decision
 * 0022).
 */
export async function findMailRecipient(commands: CommandHandler, accountId: string): Promise<MailRecipient | null> {
  const { state } = await commands.load(account, accountId);
  if (!state || isStandIn(state) || !state.emailVerified) return null;
  return { email: state.email, threads: (await commands.load(follows, accountId)).state.threads };
}
