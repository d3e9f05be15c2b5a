import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createClosing,
  createLogger,
  createPool,
  openCore,
  readConfig,
  type Closing,
  type Pool,
  type Secrets,
} from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createPositionMap,
  readKeptPositions,
  switchPositions,
  type Switch,
} from '../../infra/tools/copy/switch-positions.ts';
import { openInstallation } from '../../infra/tools/installation.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

/** Where an installation keeps its events, and who is kept from writing elsewhere. */

const newKey = () => randomBytes(32).toString('hex');
/** No server is asked before somebody reads or writes. */
const EVENTSTORE_URL = 'esdb://127.0.0.1:1?tls=false';

describe('the processes of an installation', () => {
  const secrets: Secrets = { accountIds: newKey(), dataKeys: newKey(), verificationCodes: newKey() };
  let database: TestDatabase;
  let pool: Pool;
  let closing: Closing;
  beforeEach(async () => {
    database = await createMigratedDatabase();
    closing = createClosing();
    pool = createPool({ connectionString: database.connectionString, max: 4, applicationName: 'test' });
    closing.add(() => pool.end());
  });
  afterEach(async () => {
    await closing.closeAll();
    await database.drop();
  });

  const start = (env: Readonly<Record<string, string>> = {}) =>
    openCore({
      config: { ...readConfig(env), secrets },
      databaseUrl: database.connectionString,
      dataDir: path.join(tmpdir(), 'not-used'),
      log: createLogger('silent'),
      onStop: closing.add,
    });
  const inUse = async () =>
    (await pool.query<{ line: string }>('select t::text as line from es.store_in_use t')).rows.map(({ line }) => line);
  const refused = (remedy: string) => ({
    name: 'ConfigurationError',
    message: expect.stringMatching(`^EVENTSTORE_URL: ${remedy}, `) as string,
  });
  async function switchTo(to: Switch['to'], mayGoOn: Switch['mayGoOn'] = () => Promise.resolve()): Promise<void> {
    const kept = await readKeptPositions(pool);
    await switchPositions(pool, { kept, map: createPositionMap(kept), to, mayGoOn });
  }

  test('all keep events in Postgres when the first one does, at once too; others do not start', async () => {
    await Promise.all([start(), start(), start()]);
    expect(await inUse()).toEqual(['(t,postgres)']);
    await expect(start({ EVENTSTORE_URL })).rejects.toMatchObject(refused('must not be set'));
    await start();
  });

  test('all keep events in EventStoreDB when the first one does, under any address; others do not start', async () => {
    await start({ EVENTSTORE_URL });
    expect(await inUse()).toEqual(['(t,eventstoredb)']);
    await expect(start()).rejects.toMatchObject(refused('must be set'));
    await start({ EVENTSTORE_URL: 'esdb+discover://elsewhere.example:2113' });
  });

  test('tools that read refuse the store that was moved away from, and say nothing themselves', async () => {
    const tool = (env: Readonly<Record<string, string>> = {}) =>
      openInstallation(
        {
          env: {
            DATABASE_URL: database.connectionString,
            DATA_DIR: mkdtempSync(path.join(tmpdir(), 'alpenglow-tool-')),
            ...env,
          },
          rootDir: '/',
          ownsDataDir: false,
        },
        closing,
      );
    await tool();
    expect(await inUse()).toEqual([]);
    await start();
    await tool();
    await switchTo('eventstoredb');
    await expect(tool()).rejects.toMatchObject(refused('must be set'));
  });

  test('with the old environment do not start after a switch, nor while it is under way', async () => {
    await start();
    let late: Promise<unknown> = Promise.resolve();
    await switchTo('eventstoredb', async () => {
      late = start().then(
        () => 'started',
        (error: unknown) => error,
      );
      await eventually(async () => {
        const { rowCount } = await pool.query(
          `select from pg_locks where not granted and relation = 'es.store_in_use'::regclass`,
        );
        expect(rowCount).toBe(1);
      });
    });
    expect(await late).toMatchObject(refused('must be set'));
    await expect(start()).rejects.toMatchObject(refused('must be set'));
    await start({ EVENTSTORE_URL });
  });

  test('go on as they were when a switch is called off in the end', async () => {
    await start();
    await expect(switchTo('eventstoredb', () => Promise.reject(new Error('called off')))).rejects.toThrow('called off');
    expect(await inUse()).toEqual(['(t,postgres)']);
    await start();
  });
});
