import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createResourceStack,
  createLogger,
  openCore,
  openEvents,
  resetAccountIdKey,
  storeSecretFingerprints,
  readConfig,
  type ResourceStack,
  type Secrets,
} from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';

const newKey = () => randomBytes(32).toString('hex');
const newSecrets = (): Secrets => ({ accountIds: newKey(), dataKeys: newKey(), verificationCodes: newKey() });

describe('the processes of an installation', () => {
  let database: TestDatabase;
  let closing: ResourceStack;
  const folders: string[] = [];
  beforeEach(async () => {
    database = await createMigratedDatabase();
    closing = createResourceStack();
  });
  afterEach(async () => {
    await closing.closeAll();
    await database.drop();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  /** Starts a process with its own data directory, as on another machine. */
  const start = async (secrets: Partial<Secrets> | null) => openCore(await contextWith(secrets));
  /** Starts a process that uses only the secret `dataKeys`. */
  const startEvents = async (secrets: Partial<Secrets>) => openEvents(await contextWith(secrets));
  async function contextWith(secrets: Partial<Secrets> | null) {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'alpenglow-secrets-'));
    folders.push(dataDir);
    return {
      config: { ...readConfig({}), secrets },
      databaseUrl: database.connectionString,
      dataDir,
      log: createLogger('silent'),
      onStop: closing.add,
    };
  }
  const configurationError = (names: string) => ({
    name: 'ConfigurationError',
    message: expect.stringMatching(names) as string,
  });

  test('all start with the secrets of the first, also in parallel', async () => {
    const secrets = newSecrets();
    await Promise.all([start(secrets), start(secrets), start(secrets)]);
    await start(secrets);
  });

  test('do not start with different secrets, because one address would have two accounts', async () => {
    await start(null);
    await expect(start(null)).rejects.toMatchObject(
      configurationError('SECRET_ACCOUNT_IDS.*\n.*SECRET_DATA_KEYS.*\n.*SECRET_VERIFICATION_CODES'),
    );
  });

  test.each([
    ['accountIds', 'SECRET_ACCOUNT_IDS'],
    ['dataKeys', 'SECRET_DATA_KEYS'],
    ['verificationCodes', 'SECRET_VERIFICATION_CODES'],
  ] as const)('report which secret differs: %s', async (name, variable) => {
    const secrets = newSecrets();
    await start(secrets);
    const error = await start({ ...secrets, [name]: newKey() }).then(
      () => null,
      (reason: unknown) => reason as Error,
    );
    expect(error).toMatchObject(configurationError(`^${variable}: `));
    expect(error?.message.match(/^SECRET_\w+: /gmu)).toHaveLength(1);
    await start(secrets);
  });

  test('of services with some of the secrets check those that they have, in any order of their starts', async () => {
    const secrets = newSecrets();
    await startEvents({ dataKeys: secrets.dataKeys });
    await start(secrets);
    await startEvents({ dataKeys: secrets.dataKeys });
    await expect(startEvents({ dataKeys: newKey() })).rejects.toMatchObject(configurationError('^SECRET_DATA_KEYS: '));
    await expect(start({ ...secrets, accountIds: newKey() })).rejects.toMatchObject(
      configurationError('^SECRET_ACCOUNT_IDS: '),
    );
    await expect(start({ dataKeys: secrets.dataKeys })).rejects.toMatchObject(
      configurationError('^SECRET_ACCOUNT_IDS: .*\nSECRET_VERIFICATION_CODES: '),
    );
  });

  test('store no secret in the database', async () => {
    const secrets = newSecrets();
    const { pool } = await start(secrets);
    const { rows } = await pool.query<{ line: string }>(
      'select t::text as line from auth.secrets_in_use t union all select t::text from auth.data_key_secrets t',
    );
    expect(rows).toHaveLength(2);
    for (const secret of Object.values(secrets))
      expect(rows.map(({ line }) => line).join('\n')).not.toContain(secret.slice(0, 16));
  });

  test('only accept one secret for data keys when they start in parallel with different ones', async () => {
    const secrets = newSecrets();
    const starts = await Promise.allSettled(Array.from({ length: 4 }, () => start({ ...secrets, dataKeys: newKey() })));
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const failed of starts.filter((result) => result.status === 'rejected'))
      expect(failed.reason).toMatchObject(configurationError('^SECRET_DATA_KEYS: lacks the secret with the id '));
  });

  test('accept the secrets of a backup after it was restored', async () => {
    const { pool } = await start(newSecrets());
    const restored = newSecrets();
    await resetAccountIdKey(pool, { isInBackup: false });
    await storeSecretFingerprints(pool, restored);
    await start(restored);
  });
});
