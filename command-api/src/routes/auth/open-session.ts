import { account, person, type Position, type RegisteredAccount } from '@alpenglow/domain';
import type { SessionClient } from '@alpenglow/infra';
import type { AuthDependencies } from './dependencies.ts';

/**
 * Opens a session of an account and returns its token. The account is then loaded again, because it may have changed in
 * the meantime. If the account was closed, is being erased or has a new password, the session is revoked and null is
 * returned. `twoStepVersion` is the version of the two-step setup whose code was checked, or 0 without two-step
 * sign-in. `writtenPosition` is the position of the write that opens the session.
 */
export async function openSession(
  { commands, sessions }: Pick<AuthDependencies, 'commands' | 'sessions'>,
  client: SessionClient,
  { accountId, passwordVersion, passwordHash }: RegisteredAccount,
  twoStepVersion = 0,
  writtenPosition: Position | null = null,
): Promise<string | null> {
  const token = await sessions.open({
    accountId,
    passwordVersion,
    twoStepVersion,
    writtenPosition,
    ...client,
  });
  const [{ state }, { state: personState }] = await Promise.all([
    commands.load(account, accountId),
    commands.load(person, accountId),
  ]);
  const isBeingErased =
    state !== null && personState.erasure !== null && state.registeredAt <= personState.erasure.requestedAt;
  // Each password hash has its own salt. If the hash is the same, the account and the password are therefore the same
  // too.
  if (state?.passwordHash === passwordHash && !isBeingErased) return token;
  await sessions.revoke(token);
  return null;
}
