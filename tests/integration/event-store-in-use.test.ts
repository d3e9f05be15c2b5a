import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  createResourceStack,
  createLogger,
  createPool,
  openCore,
  readConfig,
  type ResourceStack,
  type Pool,
  type Secrets,
} from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createPositionMap,
  readStoredPositions,
  switchPositions,
  type PositionSwitch,
} from '../../launcher/tools/copy/switch-positions.ts';
import { openInstallation } from '../../launcher/tools/installation.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

// Tests that all processes of an installation use the same event store, and that no process writes to another
// store.

const createKey = () => randomBytes(32).toString('hex');
/**
 * Address at which no server runs. The tests need no server, because an event store connects only at its first read or
 * write.
 */
const EVENTSTORE_URL = 'esdb://127.0.0.1:1?tls=false';

describe('the processes of an installation', () => {
  const secrets: Secrets = { accountIds: createKey(), dataKeys: createKey(), verificationCodes: createKey() };
  let database: TestDatabase;
  let pool: Pool;
  let closing: ResourceStack;
  beforeEach(async () => {
    database = await createMigratedDatabase();
    closing = createResourceStack();
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
  const readStoreInUse = async () =>
    (await pool.query<{ line: string }>('select t::text as line from es.store_in_use t')).rows.map(({ line }) => line);
  const configurationError = (remedy: string) => ({
    name: 'ConfigurationError',
    message: expect.stringMatching(`^EVENTSTORE_URL: ${remedy}, `) as string,
  });
  async function switchTo(
    kind: PositionSwitch['to']['kind'],
    checkAllowed: PositionSwitch['checkAllowed'] = () => Promise.resolve(),
  ): Promise<void> {
    const storedPositions = await readStoredPositions(pool);
    await switchPositions(pool, {
      storedPositions,
      map: createPositionMap(storedPositions),
      to: { kind, streamPrefix: '' },
      checkAllowed,
    });
  }

  test('all use Postgres after the first start, even concurrent ones, and reject another store', async () => {
    await Promise.all([start(), start(), start()]);
    expect(await readStoreInUse()).toEqual(['(t,postgres,"")']);
    await expect(start({ EVENTSTORE_URL })).rejects.toMatchObject(configurationError('must not be set'));
    await start();
  });

  test('all use EventStoreDB after the first start, at any address, and reject another store', async () => {
    await start({ EVENTSTORE_URL });
    expect(await readStoreInUse()).toEqual(['(t,eventstoredb,"")']);
    await expect(start()).rejects.toMatchObject(configurationError('must be set'));
    await start({ EVENTSTORE_URL: 'esdb+discover://elsewhere.example:2113' });
  });

  test('all have the prefix of streams of the first start, and reject another one', async () => {
    await start({ EVENTSTORE_URL, EVENTSTORE_STREAM_PREFIX: 'shop-' });
    expect(await readStoreInUse()).toEqual(['(t,eventstoredb,shop-)']);
    for (const EVENTSTORE_STREAM_PREFIX of ['', 'shop', 'other-'])
      await expect(start({ EVENTSTORE_URL, EVENTSTORE_STREAM_PREFIX })).rejects.toMatchObject({
        name: 'ConfigurationError',
        message: expect.stringMatching(/^EVENTSTORE_STREAM_PREFIX: must be "shop-"/u) as string,
      });
    await start({ EVENTSTORE_URL, EVENTSTORE_STREAM_PREFIX: 'shop-' });
  });

  test('include command-line tools, which record no store and reject the previous store after a switch', async () => {
    const openTool = (env: Readonly<Record<string, string>> = {}) =>
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
    await openTool();
    expect(await readStoreInUse()).toEqual([]);
    await start();
    await openTool();
    await switchTo('eventstoredb');
    await expect(openTool()).rejects.toMatchObject(configurationError('must be set'));
  });

  test('do not start with the old configuration during and after a switch', async () => {
    await start();
    let concurrentStart: Promise<unknown> = Promise.resolve();
    await switchTo('eventstoredb', async () => {
      concurrentStart = start().then(
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
    expect(await concurrentStart).toMatchObject(configurationError('must be set'));
    await expect(start()).rejects.toMatchObject(configurationError('must be set'));
    await start({ EVENTSTORE_URL });
  });

  test('continue with the current store after a switch was cancelled', async () => {
    await start();
    await expect(switchTo('eventstoredb', () => Promise.reject(new Error('cancelled')))).rejects.toThrow('cancelled');
    expect(await readStoreInUse()).toEqual(['(t,postgres,"")']);
    await start();
  });
});
