import { createHmac } from 'node:crypto';
import type { Pool } from 'pg';
import { ConfigurationError } from '../../service/config.ts';
import type { Secrets } from '../../security/secrets.ts';

/**
 * The fixed input of the HMAC with which the fingerprint of a secret is computed. The input is used for nothing else.
 */
const FINGERPRINT_INPUT = 'alpenglow: fingerprint of a secret';

/** The secrets, with their column in the table `auth.secrets_in_use` and their environment variable. */
const SECRETS = [
  { secret: 'accountIds', column: 'account_ids', variable: 'SECRET_ACCOUNT_IDS' },
  { secret: 'dataKeys', column: 'data_keys', variable: 'SECRET_DATA_KEYS' },
  { secret: 'verificationCodes', column: 'verification_codes', variable: 'SECRET_VERIFICATION_CODES' },
] as const;
type Column = (typeof SECRETS)[number]['column'];
const COLUMNS = SECRETS.map(({ column }) => column).join(', ');

/**
 * Checks that this process has the same secrets as all other processes of its installation. The first process stores
 * fingerprints of its secrets in the database. If a secret differs, throws a `ConfigurationError` that names the
 * environment variable. With different secrets, one mail address would get two accounts, and personal data would be
 * unreadable.
 */
export async function ensureSameSecrets(pool: Pool, secrets: Secrets): Promise<void> {
  const ours = fingerprintsOf(secrets);
  await pool.query(`insert into auth.secrets_in_use (${COLUMNS}) values ($1, $2, $3) on conflict do nothing`, ours);
  const { rows } = await pool.query<Record<Column, string>>(`select ${COLUMNS} from auth.secrets_in_use`);
  const different = SECRETS.filter(({ column }, index) => rows[0]?.[column] !== ours[index]).map(
    ({ variable }) => variable,
  );
  if (different.length === 0) return;
  const problems = different.map(
    (variable) =>
      `${variable}: differs from the secret that this installation started with (the database stores its fingerprint)`,
  );
  throw new ConfigurationError(
    `${problems.join('\n')}\nEvery process of an installation has the same secrets: ` +
      'set SECRET_*, or put the secrets.json of the first one into DATA_DIR',
  );
}

/**
 * Stores the fingerprints of these secrets as the fingerprints of the installation, and overwrites the earlier ones.
 */
export async function storeSecretFingerprints(pool: Pool, secrets: Secrets): Promise<void> {
  const updates = SECRETS.map(({ column }) => `${column} = excluded.${column}`).join(', ');
  await pool.query(
    `insert into auth.secrets_in_use (${COLUMNS}) values ($1, $2, $3)
     on conflict (is_only_row) do update set ${updates}`,
    fingerprintsOf(secrets),
  );
}

function fingerprintsOf(secrets: Secrets): string[] {
  return SECRETS.map(({ secret }) =>
    createHmac('sha256', Buffer.from(secrets[secret], 'hex')).update(FINGERPRINT_INPUT).digest('hex'),
  );
}
