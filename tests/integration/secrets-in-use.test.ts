import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createClosing,
  createLogger,
  openCore,
  putSecretsInUse,
  readConfig,
  type Closing,
  type Secrets,
} from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';

const newKey = () => randomBytes(32).toString('hex');
const newSecrets = (): Secrets => ({ accountIds: newKey(), dataKeys: newKey(), verificationCodes: newKey() });

describe('the processes of an installation', () => {
  let database: TestDatabase;
  let closing: Closing;
  const folders: string[] = [];
  beforeEach(async () => {
    database = await createMigratedDatabase();
    closing = createClosing();
  });
  afterEach(async () => {
    await closing.closeAll();
    await database.drop();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
  });

  /** A process as one on another machine: with a folder of its own. */
  async function start(secrets: Secrets | null) {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'alpenglow-secrets-'));
    folders.push(dataDir);
    return openCore({
      config: { ...readConfig({}), secrets },
      databaseUrl: database.connectionString,
      dataDir,
      log: createLogger('silent'),
      onStop: closing.add,
    });
  }
  const refused = (names: string) => ({ name: 'ConfigurationError', message: expect.stringMatching(names) as string });

  test('all start with the secrets of the first, at once too', async () => {
    const secrets = newSecrets();
    await Promise.all([start(secrets), start(secrets), start(secrets)]);
    await start(secrets);
  });

  test('do not start with secrets of their own: one address would have two accounts', async () => {
    await start(null);
    await expect(start(null)).rejects.toMatchObject(
      refused('SECRET_ACCOUNT_IDS.*\n.*SECRET_DATA_KEYS.*\n.*SECRET_VERIFICATION_CODES'),
    );
  });

  test.each([
    ['accountIds', 'SECRET_ACCOUNT_IDS'],
    ['dataKeys', 'SECRET_DATA_KEYS'],
    ['verificationCodes', 'SECRET_VERIFICATION_CODES'],
  ] as const)('are told which one differs: %s', async (name, variable) => {
    const secrets = newSecrets();
    await start(secrets);
    const error = await start({ ...secrets, [name]: newKey() }).then(
      () => null,
      (reason: unknown) => reason as Error,
    );
    expect(error).toMatchObject(refused(`^${variable}: `));
    expect(error?.message.match(/^SECRET_\w+: /gmu)).toHaveLength(1);
    await start(secrets);
  });

  test('leave no secret in the database', async () => {
    const secrets = newSecrets();
    const { pool } = await start(secrets);
    const { rows } = await pool.query<{ line: string }>('select t::text as line from auth.secrets_in_use t');
    expect(rows).toHaveLength(1);
    for (const secret of Object.values(secrets)) expect(rows[0]?.line).not.toContain(secret);
  });

  test('work with those of a backup once that is restored', async () => {
    const { pool } = await start(newSecrets());
    const restored = newSecrets();
    await putSecretsInUse(pool, restored);
    await start(restored);
  });
});
