import { createHmac } from 'node:crypto';
import type { Pool } from 'pg';
import { ConfigurationError } from '../../config.ts';
import type { Secrets } from '../../secrets.ts';

/** Nothing else is ever hashed with a secret that reads like this. */
const FINGERPRINTED = 'alpenglow: fingerprint of a secret';

/** Each secret: its column in `auth.secrets_in_use`, and its variable. */
const SECRETS = [
  { secret: 'accountIds', column: 'account_ids', variable: 'SECRET_ACCOUNT_IDS' },
  { secret: 'dataKeys', column: 'data_keys', variable: 'SECRET_DATA_KEYS' },
  { secret: 'verificationCodes', column: 'verification_codes', variable: 'SECRET_VERIFICATION_CODES' },
] as const;
type Column = (typeof SECRETS)[number]['column'];
const COLUMNS = SECRETS.map(({ column }) => column).join(', ');

/**
 * Makes sure that this process has the secrets that the others of its installation have: the first one leaves fingerprints in the database.
 * Throws `ConfigurationError`, naming the variable, where one differs: with other secrets one address would have two accounts, and personal
 * data would be lost.
 */
export async function agreeOnSecrets(pool: Pool, secrets: Secrets): Promise<void> {
  const ours = fingerprintsOf(secrets);
  await pool.query(`insert into auth.secrets_in_use (${COLUMNS}) values ($1, $2, $3) on conflict do nothing`, ours);
  const { rows } = await pool.query<Record<Column, string>>(`select ${COLUMNS} from auth.secrets_in_use`);
  const different = SECRETS.filter(({ column }, index) => rows[0]?.[column] !== ours[index]).map(
    ({ variable }) => variable,
  );
  if (different.length === 0) return;
  const faults = different.map(
    (variable) => `${variable}: is not the one this installation began with (the database knows its fingerprint)`,
  );
  throw new ConfigurationError(
    `${faults.join('\n')}\nEvery process of an installation has the same secrets: set SECRET_*, or put the secrets.json of the first one into DATA_DIR`,
  );
}

/** From now on the installation works with these secrets. */
export async function putSecretsInUse(pool: Pool, secrets: Secrets): Promise<void> {
  const updates = SECRETS.map(({ column }) => `${column} = excluded.${column}`).join(', ');
  await pool.query(
    `insert into auth.secrets_in_use (${COLUMNS}) values ($1, $2, $3) on conflict (is_only_row) do update set ${updates}`,
    fingerprintsOf(secrets),
  );
}

function fingerprintsOf(secrets: Secrets): string[] {
  return SECRETS.map(({ secret }) =>
    createHmac('sha256', Buffer.from(secrets[secret], 'hex')).update(FINGERPRINTED).digest('hex'),
  );
}
