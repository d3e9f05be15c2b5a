import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleForNode } from '../support/bundle.mjs';
import { createMigratedDatabase, createTestPool, type TestDatabase } from '../support/database.ts';
import { query } from '../support/installation.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Number of ads to create. The number is so large that several threads create ads. */
const ADS = 20_000;
const RUN = `const [bundle, rootDir, ads] = process.argv.slice(1);
  import(bundle).then(async ({ main }) => {
    process.exitCode = await main(['--ads', ads], { env: process.env, rootDir, ownsDataDir: false }, bundle);
  });`;

describe('seeding in several threads', () => {
  let database: TestDatabase;
  let bundle: Awaited<ReturnType<typeof bundleForNode>>;
  let dataDir: string;
  beforeAll(async () => {
    [database, bundle, dataDir] = await Promise.all([
      createMigratedDatabase(),
      bundleForNode('../../launcher/tools/seed.ts'),
      mkdtemp(path.join(tmpdir(), 'seed-threads-')),
    ]);
  });
  afterAll(async () => {
    await Promise.all([database.drop(), bundle.remove(), rm(dataDir, { recursive: true, force: true })]);
  });

  function startSeeding(): ChildProcess {
    const env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      DATABASE_URL: database.connectionString,
      DATA_DIR: dataDir,
    };
    return spawn(process.execPath, ['-e', RUN, pathToFileURL(bundle.path).href, ROOT, String(ADS)], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }

  async function seedCompletely(): Promise<string> {
    const child = startSeeding();
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
    expect((await once(child, 'close'))[0]).toBe(0);
    return output;
  }

  const countEvents = async () => {
    const rows = await query<{ n: number }>(database.connectionString, 'select count(*)::integer as n from es.events');
    return rows[0]?.n ?? 0;
  };

  /**
   * Runs `work` while no event after position `position` can be committed, so that the seeding cannot end before the
   * test kills it. Then ends the connections of the killed process.
   */
  async function withBarrier(position: number, work: () => Promise<void>): Promise<void> {
    const pool = createTestPool(database.connectionString, 2);
    await pool.query(
      `create function es.wait_at_barrier() returns trigger language plpgsql as
         'begin perform pg_advisory_xact_lock_shared(1) from es.events where position > ${position} limit 1;
          return null; end';
       create trigger barrier after insert on es.events for each statement execute function es.wait_at_barrier()`,
    );
    const holder = await pool.connect();
    await holder.query('select pg_advisory_lock(1)');
    await work();
    await pool.query(
      `select pg_terminate_backend(pid)
         from pg_locks
        where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`,
    );
    await holder.query('select pg_advisory_unlock(1)');
    holder.release();
    await pool.query('drop trigger barrier on es.events; drop function es.wait_at_barrier()');
    await pool.end();
  }

  test('resumes after a kill with each ad and poster once, and changes nothing when it runs again', async () => {
    await withBarrier(2 * ADS, async () => {
      const first = startSeeding();
      while ((await countEvents()) < ADS && first.exitCode === null) await pause(20);
      first.kill('SIGKILL');
      await once(first, 'close');
    });
    const atKill = await countEvents();
    expect(atKill).toBeGreaterThanOrEqual(ADS);
    expect(atKill).toBeLessThan(3 * ADS);

    expect(await seedCompletely()).toContain(`${ADS} ads created`);
    const all = [
      { type: 'AccountRegistered', events: ADS, streams: ADS },
      { type: 'AdPosted', events: ADS, streams: ADS },
      { type: 'EmailVerified', events: ADS, streams: ADS },
    ];
    const counts = () =>
      query(
        database.connectionString,
        `select type, count(*)::integer as events, count(distinct stream)::integer as streams
           from es.events
          group by type
          order by type`,
      );
    expect(await counts()).toEqual(all);
    expect(
      await query(
        database.connectionString,
        `select count(*)::integer as readable from es.events where data::text like '%generated-%'`,
      ),
    ).toEqual([{ readable: 0 }]);
    expect(await query(database.connectionString, 'select count(*)::integer as keys from auth.data_keys')).toEqual([
      { keys: ADS },
    ]);

    await seedCompletely();
    expect(await counts()).toEqual(all);
  });
});
