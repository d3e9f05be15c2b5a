import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createPool, createPostgresEventStore, migrate, type Pool } from '@alpenglow/infra';
import { startEmbeddedPostgres } from '@alpenglow/launcher/postgres';
import { PROJECTIONS, rebuildProjection } from '@alpenglow/projectors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MIGRATIONS_DIR } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

/** The swap of tables while an autovacuum holds a lock on the live table. */

/** With these settings, an autovacuum starts within a second and lasts much longer than this test. */
const SLOW_AUTOVACUUM = {
  autovacuum_naptime: '1s',
  autovacuum_vacuum_cost_delay: '100ms',
  autovacuum_vacuum_cost_limit: '1',
};
const ROWS = 20_000;

let folder: string;
let postgres: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
let pool: Pool;
let superuser: Pool;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-vacuum-'));
  postgres = await startEmbeddedPostgres({ dataDir: folder, durable: false, settings: SLOW_AUTOVACUUM });
  await migrate(postgres.connectionString, { migrationsDir: MIGRATIONS_DIR });
  pool = createPool({ connectionString: postgres.connectionString, max: 6, applicationName: 'test' });
  superuser = createPool({ connectionString: postgres.superuserUrl, max: 1, applicationName: 'test' });
});
afterAll(async () => {
  await pool.end();
  await superuser.end();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The role of the product sees no processes of the superuser. */
const isVacuumRunning = async () =>
  (
    await superuser.query(
      `select from pg_stat_activity a join pg_locks l using (pid)
        where a.backend_type = 'autovacuum worker' and l.relation = 'rm.ad_owners'::regclass and l.granted`,
    )
  ).rowCount !== 0;

test('a rebuild replaces a table on which an autovacuum runs', async () => {
  const store = createPostgresEventStore({ pool, connectionString: postgres.connectionString });
  const projection = PROJECTIONS.find(({ name }) => name === 'ad_owners');
  if (!projection) throw new Error('There is no such projection');
  await rebuildProjection(projection, { store, pool });
  await pool.query(
    `insert into rm.ad_owners (ad_id, account_id, posted_at)
     select 'ad-' || n, 'owner-' || n, now() from generate_series(1, ${ROWS}) n`,
  );
  await pool.query(`update rm.ad_owners set account_id = account_id || 'x'`);
  await eventually(async () => expect(await isVacuumRunning()).toBe(true));

  await rebuildProjection(projection, { store, pool });
  expect((await pool.query('select from rm.ad_owners')).rowCount, 'the new table is empty').toBe(0);
  await store.close();
});
