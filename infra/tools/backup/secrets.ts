import { START, toDomainEvent } from '@alpenglow/domain';
import { accountIdOf, createDataKeys, isPassing, withPersonalData, type Secrets } from '../../src/index.ts';
import type { Installation } from '../installation.ts';

/** Accounts looked at to find one that can tell. */
const LOOKED_AT = 100;

/**
 * Whether secrets are those of an installation: its keys open with them, and an address leads to its account. Also true while there is
 * nobody it could be told by.
 */
export async function isFitting(
  secrets: Secrets,
  { events, pool }: Pick<Installation, 'events' | 'pool'>,
): Promise<boolean> {
  const keys = createDataKeys(pool, secrets.dataKeys);
  const registrations = await events.store.readAll({ after: START, types: ['AccountRegistered'], limit: LOOKED_AT });
  try {
    for (const registration of registrations) {
      const accountId = registration.stream.slice('account-'.length);
      // An erased person has no address any more.
      if (((await keys.find([accountId])).get(accountId) ?? null) === null) continue;
      const [opened] = await withPersonalData(events.store, keys).readStream(registration.stream, { limit: 1 });
      const event = opened && toDomainEvent(opened);
      return event?.type === 'AccountRegistered' && accountIdOf(secrets.accountIds, event.data.email) === accountId;
    }
    return true;
  } catch (error) {
    // No key opens with another secret.
    if (isPassing(error)) throw error;
    return false;
  }
}
