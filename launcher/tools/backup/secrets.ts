import { START_POSITION, toDomainEvent, account, parseStreamId } from '@alpenglow/domain';
import {
  accountIdOf,
  createDataKeys,
  ALL_SECRETS,
  findAccountIdKeys,
  findKeyId,
  findSecrets,
  selectSecrets,
  isTransient,
  unsealEvents,
  type Config,
  type Secrets,
} from '@alpenglow/infra';
import type { Installation } from '../installation.ts';
import { ToolError } from '../tool.ts';

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
  const idKeys = await findAccountIdKeys(pool, secrets.accountIds).catch(nullUnlessTransient);
  if (idKeys === null) return false;
  const registrations = await events.store.readAll({
    after: START_POSITION,
    types: ['AccountRegistered'],
    limit: MAX_ACCOUNTS,
  });
  let isEveryKeyReadable = true;
  try {
    for (const registration of registrations) {
      const accountId = parseStreamId(account, registration.stream);
      const keyId = findKeyId(registration);
      if (accountId === null || keyId === null) continue;
      const key = (await keys.find([keyId])).get(keyId);
      if (key === undefined) isEveryKeyReadable = false;
      // The key of an erased account was deleted, so its e-mail address cannot be decrypted.
      if (!key) continue;
      const [opened] = await unsealEvents([registration], keys);
      const event = opened && toDomainEvent(opened);
      return (
        event?.type === 'AccountRegistered' &&
        idKeys.some((idKey) => accountIdOf(idKey, event.data.email) === accountId)
      );
    }
    return isEveryKeyReadable;
  } catch (error) {
    return nullUnlessTransient(error) ?? false;
  }
}

/**
 * Returns null for an error that a wrong secret causes, because it cannot decrypt a key. Only transient errors are
 * thrown again.
 */
function nullUnlessTransient(error: unknown): null {
  if (isTransient(error)) throw error;
  return null;
}

/**
 * Checks that the secrets of an installation are available on this machine, before it is opened. A wrong DATA_DIR would
 * otherwise be filled with a new, empty installation. Throws `ToolError`.
 */
export async function requireSecrets({ secrets }: Pick<Config, 'secrets'>, dataDir: string): Promise<void> {
  if (secrets === null && (await findSecrets(dataDir)) === null) throw createMissingSecretsError();
}

function createMissingSecretsError(): ToolError {
  return new ToolError(
    'The secrets are not here: set SECRET_ACCOUNT_IDS, SECRET_DATA_KEYS and SECRET_VERIFICATION_CODES, ' +
      'or DATA_DIR to the folder that contains secrets.json.',
  );
}

/**
 * Returns the secrets of the installation, or null if they are not available on this machine. Throws `ToolError` if the
 * secrets are needed but not available, or if they belong to another installation.
 */
export async function findInstallationSecrets(installation: Installation, isNeeded: true): Promise<Secrets>;
export async function findInstallationSecrets(installation: Installation, isNeeded: boolean): Promise<Secrets | null>;
export async function findInstallationSecrets(installation: Installation, isNeeded: boolean): Promise<Secrets | null> {
  const secrets = selectSecrets(installation.config.secrets, ALL_SECRETS) ?? (await findSecrets(installation.dataDir));
  if (secrets === null && isNeeded) throw createMissingSecretsError();
  if (secrets === null || (await secretsMatchInstallation(secrets, installation))) return secrets;
  throw new ToolError(
    'The secrets here (SECRET_*, or secrets.json in DATA_DIR) do not unseal the data of this installation: ' +
      'they belong to another one.',
  );
}
