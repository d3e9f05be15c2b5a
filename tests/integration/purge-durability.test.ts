import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { account } from '@alpenglow/domain';
import { registerAccount } from '@alpenglow/domain/deciders';
import {
  accountIdOf,
  createCommandHandler,
  createDataKeys,
  createLogger,
  createPool,
  createPostgresEventStore,
  migrate,
  withClient,
  withPersonalData,
} from '@alpenglow/infra';
import { startEmbeddedPostgres } from '@alpenglow/launcher/postgres';
import { createPurgeStep, PROJECTIONS, runProjection } from '@alpenglow/projectors';
import { expect, it } from 'vitest';
import { findInTables } from '../support/clear-text.ts';
import { createMigratedDatabase, MIGRATIONS_DIR } from '../support/database.ts';
import { destroyKeys, personInErasure } from '../support/erased-person.ts';
import { eventually } from '../support/eventually.ts';
import { TEST_ORIGIN } from '../support/recording.ts';

const SECRET = 'cd'.repeat(32);
const NAME = 'Xylophona';
/** With this delay, Postgres writes an asynchronous commit to the disk long after the end of this test. */
const LATE_WRITES = { wal_writer_delay: '10s', wal_writer_flush_after: '1GB' };

it('still contains no personal data after Postgres crashes directly after the purge of the read models', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-purge-'));
  // The event store has a separate database, as in a cluster. Its durable commits do not write the commits of the
  // read models to the disk.
  const storeDatabase = await createMigratedDatabase();
  const storePool = createPool({ connectionString: storeDatabase.connectionString, max: 4, applicationName: 'test' });
  const sealedStore = createPostgresEventStore({
    pool: storePool,
    connectionString: storeDatabase.connectionString,
  });
  const dataKeys = createDataKeys(storePool, SECRET);
  const store = withPersonalData(sealedStore, dataKeys);
  const commands = createCommandHandler(store);
  const log = createLogger('silent');
  const email = 'purge@example.org';
  const accountId = accountIdOf(SECRET, email);
  const projections = PROJECTIONS.filter(({ name }) => name === 'accounts');

  const readModels = await startEmbeddedPostgres({ dataDir: folder, settings: LATE_WRITES });
  const pool = createPool({ connectionString: readModels.connectionString, max: 4, applicationName: 'test' });
  await migrate(readModels.connectionString, { migrationsDir: MIGRATIONS_DIR });
  await commands.execute(
    account,
    accountId,
    registerAccount,
    { accountId, email, passwordHash: 'hash', userType: 'client', displayName: NAME, age: 30, isDemo: false },
    TEST_ORIGIN,
  );
  const stopped = new AbortController();
  const running = projections.map((projection) => runProjection(projection, { store, pool, log }, stopped.signal));
  // The row with the checkpoint is written after the first build of the tables.
  const readCheckpoints = async () => (await pool.query('select name from rm.checkpoints')).rows as unknown[];
  await eventually(async () => expect(await readCheckpoints()).toEqual([{ name: 'accounts' }]));
  await eventually(async () => expect(await findInTables(pool, [NAME])).not.toEqual([]));
  stopped.abort();
  await Promise.all(running);
  const superuser = { connectionString: readModels.superuserUrl, applicationName: 'test' };
  await withClient(superuser, (client) => client.query('checkpoint'));

  await destroyKeys(accountId, dataKeys, storePool);
  const person = personInErasure(accountId, 'keys_destroyed', new Date());
  const purge = createPurgeStep({ pool, sealedStore, dataKeys, commands, log }, projections);
  expect(await purge(person, new AbortController().signal)).toBe('done');
  expect(await findInTables(pool, [NAME])).toEqual([]);

  process.kill(readModels.pid, 'SIGQUIT');
  await pool.end();
  await readModels.stop();
  const restarted = await startEmbeddedPostgres({ dataDir: folder, settings: LATE_WRITES });
  const poolAfterCrash = createPool({
    connectionString: restarted.connectionString,
    max: 1,
    applicationName: 'test',
  });
  expect(await findInTables(poolAfterCrash, [NAME])).toEqual([]);

  await poolAfterCrash.end();
  await restarted.stop();
  await store.close();
  await storePool.end();
  await storeDatabase.drop();
  await rm(folder, { recursive: true, force: true });
});
