import type { Pool } from 'pg';
import { ConfigurationError } from '../../service/config.ts';
import { fingerprintOf, firstSecretOf } from '../../security/key-wrapping.ts';
import type { Secrets } from '../../security/secrets.ts';
import { findAccountIdProblem } from './account-id-key.ts';
import { findDataKeySecretProblem, registerDataKeySecret, storeDataKeySecrets } from './data-key-secrets.ts';

/** The secrets of a process. Every process reads or writes events, so it has the secrets of data keys. */
export type UsedSecrets = Pick<Secrets, 'dataKeys'> & Partial<Secrets>;

/**
 * Checks that the secrets of this process are those of all other processes of its installation, and that it has all
 * secrets that encrypt stored data. A process has only the secrets that it uses. The first process with a secret stores
 * its fingerprint in the database. If a secret differs or is missing, throws a `ConfigurationError` that names the
 * environment variable. With different secrets, one mail address would get two accounts, and personal data would be
 * unreadable.
 */
export async function ensureSameSecrets(pool: Pool, secrets: UsedSecrets): Promise<void> {
  const { accountIds, verificationCodes } = secrets;
  const codes = verificationCodes === undefined ? null : fingerprintOf(verificationCodes);
  const { rows } = await pool.query<{ codes: string | null }>(
    `insert into auth.secrets_in_use as used (account_ids, verification_codes) values ($1, $2)
     on conflict (is_only_row)
        do update set account_ids = coalesce(used.account_ids, excluded.account_ids),
                      verification_codes = coalesce(used.verification_codes, excluded.verification_codes)
     returning verification_codes as codes`,
    [accountIds === undefined ? null : fingerprintOf(firstSecretOf(accountIds)), codes],
  );
  const problems: string[] = [];
  const accountIdProblem = accountIds === undefined ? null : await findAccountIdProblem(pool, accountIds);
  if (accountIdProblem !== null) problems.push(`SECRET_ACCOUNT_IDS: ${accountIdProblem}`);
  if (codes !== null && rows[0]?.codes !== codes)
    problems.push(
      'SECRET_VERIFICATION_CODES: differs from the secret that this installation started with ' +
        '(the database stores its fingerprint)',
    );
  // If other secrets differ as well, this process belongs to another installation and must not register its secret.
  const dataKeyProblem =
    problems.length > 0
      ? await findDataKeySecretProblem(pool, secrets.dataKeys)
      : await registerDataKeySecret(pool, secrets.dataKeys);
  if (dataKeyProblem !== null) problems.push(`SECRET_DATA_KEYS: ${dataKeyProblem}`);
  if (problems.length === 0) return;
  throw new ConfigurationError(
    `${problems.sort().join('\n')}\nEvery process of an installation has the same secrets: ` +
      'set SECRET_*, or put the secrets.json of the first one into DATA_DIR',
  );
}

/**
 * Stores the fingerprints of these secrets as the fingerprints of the installation, and overwrites the earlier ones.
 * `initialSecret` is the key of account ids in an installation of an earlier release (decision 0064).
 */
export async function storeSecretFingerprints(
  pool: Pool,
  secrets: Secrets,
  initialSecret = firstSecretOf(secrets.accountIds),
): Promise<void> {
  await pool.query(
    `insert into auth.secrets_in_use (account_ids, verification_codes) values ($1, $2)
     on conflict (is_only_row)
        do update set account_ids = excluded.account_ids, verification_codes = excluded.verification_codes`,
    [fingerprintOf(initialSecret), fingerprintOf(secrets.verificationCodes)],
  );
  await storeDataKeySecrets(pool, secrets.dataKeys);
}
