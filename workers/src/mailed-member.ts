import { account, follows, type FollowMail } from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';

/** Somebody who may be written to about threads. */
export interface MailedMember {
  readonly email: string;
  readonly threads: Readonly<Record<string, FollowMail>>;
}

/** Null for an account that is closed, whose address nobody has confirmed, or that stands in for another (decision 0022). */
export async function mailedMember(commands: CommandHandler, accountId: string): Promise<MailedMember | null> {
  const { state } = await commands.load(account, accountId);
  if (!state || state.repeatOf !== null || !state.emailVerified) return null;
  return { email: state.email, threads: (await commands.load(follows, accountId)).state.threads };
}
