import { START_POSITION, toDomainEvent, account, parseStreamId } from '@alpenglow/domain';
import { accountIdOf, createDataKeys, isTransient, withPersonalData, type Secrets } from '@alpenglow/infra';
import type { Installation } from '../installation.ts';

/** Maximum number of accounts to read in the search for an account that is not erased. */
const MAX_ACCOUNTS = 100;

/**
 * Checks whether the secrets belong to the installation. The secrets must decrypt the data of an account. The decrypted
 * e-mail address must also result in the id of this account. Returns true if there is no account to check.
 */
export async function secretsMatchInstallation(
  secrets: Secrets,
  { events, pool }: Pick<Installation, 'events' | 'pool'>,
): Promise<boolean> {
  const keys = createDataKeys(pool, secrets.dataKeys);
  const registrations = await events.store.readAll({
    after: START_POSITION,
    types: ['AccountRegistered'],
    limit: MAX_ACCOUNTS,
  });
  try {
    for (const registration of registrations) {
      const accountId = parseStreamId(account, registration.stream);
      if (accountId === null) continue;
      // The key of an erased account was deleted, so its e-mail address cannot be decrypted.
      if (((await keys.find([accountId])).get(accountId) ?? null) === null) continue;
      const [opened] = await withPersonalData(events.store, keys).readStream(registration.stream, { limit: 1 });
      const event = opened && toDomainEvent(opened);
      return event?.type === 'AccountRegistered' && accountIdOf(secrets.accountIds, event.data.email) === accountId;
    }
    return true;
  } catch (error) {
    // A wrong secret also causes an error, because it cannot decrypt the key. Such an error means false. Only transient
    // errors are thrown again.
    if (isTransient(error)) throw error;
    return false;
  }
}
