import { account, person, type RegisteredAccount } from '@alpenglow/domain';
import type { AuthDependencies } from './dependencies.ts';

/**
 * Opens a session of an account that has just been looked up, and answers its token; null where the account was closed, is being
 * erased, or got another password, meanwhile. Whoever ends all sessions may have done so before this one was there: it would outlive the account, and be one of
 * whoever signs up with the address next, as an address has one id for ever. `twoStepVersion` is that of the code that was shown, 0 for none.
 */
export async function openSession(
  { commands, sessions }: Pick<AuthDependencies, 'commands' | 'sessions'>,
  { accountId, passwordVersion, passwordHash }: RegisteredAccount,
  twoStepVersion = 0,
): Promise<string | null> {
  const token = await sessions.open({ accountId, passwordVersion, twoStepVersion });
  const [{ state }, { state: held }] = await Promise.all([
    commands.load(account, accountId),
    commands.load(person, accountId),
  ]);
  const isGoing = state !== null && held.erasure !== null && state.registeredAt <= held.erasure.requestedAt;
  // Hashes are salted, so that not even the same password makes the next account look like this one.
  if (state?.passwordHash === passwordHash && !isGoing) return token;
  await sessions.revoke(token);
  return null;
}
