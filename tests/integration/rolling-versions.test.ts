import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { favorites as favoritesStream, toStreamId, type DomainEvent, type Position } from '@alpenglow/domain';
import {
  createJobInspector,
  createJobQueue,
  createLogger,
  createPool,
  createReadModelProgress,
  createResourceStack,
  openEvents,
  openJobs,
  readConfig,
  useReadModels,
  type BackingServiceContext,
  type EventServices,
  type Pool,
  type ReadModel,
} from '@alpenglow/infra';
import { createRolloutCheck, defineProjection, startProjectors, type Projection } from '@alpenglow/projectors';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineReadModel, defineTally, required } from '../../infra/src/read-models/define-read-model.ts';
import { dropOtherVersions } from '../../projectors/src/versions/drop-unused-versions.ts';
import { createWorkDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';

// Two builds run on one database. The newer build has another version of a projection, with other columns. The
// projectors of each build have separate connections to the database, like separate processes.

const log = createLogger('silent');

interface Build {
  readonly projection: Projection;
  readonly readModel: ReadModel;
  /** Returns the ads that the read model of this build contains for an account. */
  readonly read: (pool: Pool, accountId: string) => Promise<readonly string[]>;
}

const OLD_FAVORITES = defineReadModel({ name: 'favorites', version: 1 })({
  account_id: 'text primary key',
  ad_ids: required<readonly string[]>('jsonb'),
});
const FAVORITE_COUNTS = defineTally('favorite_counts');
const NEW_FAVORITES = defineReadModel({ name: 'favorites', version: 2, tallies: [FAVORITE_COUNTS] })({
  account_id: 'text primary key',
  saved_ads: required<readonly string[]>('jsonb'),
  ads: 'integer not null',
});

const accountOf: Projection['keyOf'] = (event) => (event.type === 'AdFavorited' ? event.data.accountId : null);

const oldBuild: Build = {
  projection: defineProjection(OLD_FAVORITES)({
    keyOf: accountOf,
    on: {
      AdFavorited: ({ data }, row) => ({ account_id: data.accountId, ad_ids: [data.adId, ...(row?.ad_ids ?? [])] }),
    },
  }) as unknown as Projection,
  readModel: OLD_FAVORITES,
  read: (pool, accountId) => readAds(pool, 'select ad_ids as ads from rm.favorites where account_id = $1', accountId),
};

const newBuild: Build = {
  projection: defineProjection(NEW_FAVORITES)({
    keyOf: accountOf,
    tallies: [{ name: FAVORITE_COUNTS.name, columns: ['ads'], keysOf: ({ ads }) => [String(ads)] }],
    on: {
      AdFavorited: ({ data }, row) => {
        const ads = [data.adId, ...(row?.saved_ads ?? [])];
        return { account_id: data.accountId, saved_ads: ads, ads: ads.length };
      },
    },
  }) as unknown as Projection,
  readModel: NEW_FAVORITES,
  read: (pool, accountId) =>
    readAds(
      pool,
      `select f.saved_ads as ads
         from rm.favorites f join rm.favorite_counts c on c.key = f.ads::text
        where account_id = $1`,
      accountId,
    ),
};

async function readAds(pool: Pool, text: string, accountId: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ ads: readonly string[] }>({ name: 'test-favorites', text, values: [accountId] });
  return rows[0]?.ads ?? [];
}

let database: TestDatabase;
let dataDir: string;
let writer: EventServices;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  database = await createWorkDatabase();
  dataDir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-test-'));
  writer = await openEvents(contextOf(closing));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await database.drop();
  await rm(dataDir, { recursive: true });
});

function contextOf(closers: (() => Promise<unknown>)[]): BackingServiceContext {
  return {
    config: readConfig({ DEMO: 'off' }),
    databaseUrl: database.connectionString,
    dataDir,
    log,
    onStop: (close) => void closers.push(close),
  };
}

/** Starts the projectors of a build. `yieldToOtherWork` is awaited between the batches of a rebuild. */
async function startBuild({ projection, readModel }: Build, yieldToOtherWork?: () => Promise<unknown>) {
  const stack = createResourceStack();
  const stop = async () => {
    expect(await stack.closeAll()).toEqual([]);
  };
  closing.push(stop);
  const context = { ...contextOf([]), onStop: stack.add };
  const core = await openEvents(context);
  const backend = await openJobs(context);
  const jobs = createJobQueue(backend);
  stack.add(() => jobs.close());
  const inspector = createJobInspector(backend);
  stack.add(() => inspector.close());
  const stopped = new AbortController();
  const readModels = [readModel];
  const live = useReadModels(core.pool, readModels, { head: await core.store.readHead(), signal: stopped.signal });
  const projectors = startProjectors({
    ...core,
    live,
    projections: [projection],
    connectionString: database.connectionString,
    jobs,
    inspector,
    log,
    ...(yieldToOtherWork && { yieldToOtherWork }),
  });
  stack.add(() => projectors.stop());
  stack.add(async () => stopped.abort());
  return { mayReplaceOlder: createRolloutCheck({ pool: core.pool, readModels, live, log }), stop };
}

/** Starts the old build in a new installation, and waits until its read model is live. */
async function startFirstBuild() {
  const build = await startBuild(oldBuild);
  await eventually(async () => {
    const { rowCount } = await writer.pool.query(`select from rm.checkpoints where name = 'favorites'`);
    expect(rowCount).toBe(1);
  });
  return build;
}

/** Opens a reader of a build, such as its query-api. `live` resolves when the reader is ready. */
async function openReader(build: Build) {
  const pool = createPool({ connectionString: database.connectionString, max: 4, applicationName: 'test-reader' });
  const progress = createReadModelProgress({
    pool,
    connectionString: database.connectionString,
    readModels: [build.readModel],
    limit_ms: MAX_WAIT_ms,
  });
  const stopped = new AbortController();
  let isLive = false;
  const live = progress.waitUntilLive(await writer.store.readHead(), stopped.signal).then(
    () => (isLive = true),
    () => false,
  );
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    stopped.abort();
    await live;
    await progress.close();
    await pool.end();
  };
  closing.push(close);
  return {
    live,
    isLive: () => isLive,
    pool,
    progress,
    read: (accountId: string) => build.read(pool, accountId),
    close,
  };
}

type Reader = Awaited<ReturnType<typeof openReader>>;

let nextAd = 0;
/** Saves a new favorite of an account. Returns the ad and the position of the event. */
async function favorAd(accountId: string): Promise<{ readonly adId: string; readonly position: Position }> {
  const adId = `ad-${(nextAd += 1)}`;
  const event: DomainEvent = { type: 'AdFavorited', data: { accountId, adId } };
  const { position } = await writer.store.append(
    toStreamId(favoritesStream, accountId),
    [
      {
        ...event,
        id: crypto.randomUUID(),
        version: 1,
        meta: {
          correlationId: 'c',
          causationId: null,
          actor: { kind: 'system', name: 'test' },
          at: new Date(Date.UTC(2026, 0, 1) + nextAd * 1_000).toISOString(),
        },
      },
    ],
    { expectedRevision: 'any' },
  );
  return { adId, position };
}

/** Writes all the time, and reads each write through each of the current readers. Collects every error. */
function startLoad(readers: Set<Reader>) {
  let isStopping = false;
  let checked = 0;
  /** Number of completed iterations by account. */
  const iterations = new Map<string, number>();
  const failures: string[] = [];
  async function work(accountId: string): Promise<void> {
    while (!isStopping) {
      const { adId, position } = await favorAd(accountId);
      for (const reader of readers) {
        try {
          if (!(await reader.progress.waitFor('favorites', position))) failures.push(`${adId} was not awaited`);
          else if (!(await reader.read(accountId)).includes(adId)) failures.push(`${adId} is missing`);
        } catch (error) {
          if (readers.has(reader)) failures.push(String(error));
        }
      }
      checked += 1;
      iterations.set(accountId, (iterations.get(accountId) ?? 0) + 1);
      await pause(1);
    }
  }
  const working = Promise.all(['a', 'b', 'c'].map(work));
  return {
    failures,
    /** Resolves after a number of further writes that all readers have read. */
    async waitForWrites(count: number): Promise<void> {
      const until = checked + count;
      await eventually(() => expect(checked).toBeGreaterThanOrEqual(until), { interval_ms: 5 });
    },
    /** Removes a reader. Resolves when no iteration uses it any more. */
    async remove(reader: Reader): Promise<void> {
      readers.delete(reader);
      const before = new Map(iterations);
      await eventually(() => {
        for (const [accountId, count] of iterations) expect(count).toBeGreaterThan(before.get(accountId) ?? 0);
      });
    },
    async stop(): Promise<void> {
      isStopping = true;
      await working;
    },
  };
}

test('two builds are rolled under load: no reader misses a write or gets an error', async () => {
  for (let count = 0; count < 300; count += 1) await favorAd(`account-${count % 50}`);
  const old = await startFirstBuild();
  const oldReader = await openReader(oldBuild);
  await oldReader.live;
  const readers = new Set([oldReader]);
  const load = startLoad(readers);
  await load.waitForWrites(20);

  const gate = createGate();
  const next = await startBuild(newBuild, gate.yieldToOtherWork);
  const newReader = await openReader(newBuild);
  await gate.waitUntilReached();
  await load.waitForWrites(100);
  expect(newReader.isLive()).toBe(false);
  expect(await next.mayReplaceOlder()).toBe(false);

  gate.open();
  await newReader.live;
  readers.add(newReader);
  await load.waitForWrites(100);
  // The old projectors must continue as long as a process reads their version.
  expect(await next.mayReplaceOlder()).toBe(false);

  await load.remove(oldReader);
  await oldReader.close();
  await eventually(async () => expect(await next.mayReplaceOlder()).toBe(true));
  await old.stop();
  await load.waitForWrites(100);
  await load.stop();
  expect(load.failures).toEqual([]);
  expect(await newReader.read('account-7')).toHaveLength(6);
});

test('after a rollback, the older version continues where it stopped, next to the newer one', async () => {
  await favorAd('a');
  const old = await startFirstBuild();
  await (await openReader(oldBuild)).live;
  const next = await startBuild(newBuild);
  const newReader = await openReader(newBuild);
  await newReader.live;
  await old.stop();
  const readers = new Set([newReader]);
  const load = startLoad(readers);
  await load.waitForWrites(50);
  const oids = await tableIds();

  const oldReader = await openReader(oldBuild);
  // The older version is live, but it does not contain the events that the newer version contains.
  await load.waitForWrites(20);
  expect(oldReader.isLive()).toBe(false);
  const again = await startBuild(oldBuild);
  await oldReader.live;
  readers.add(oldReader);
  await load.waitForWrites(50);
  await load.remove(newReader);
  await newReader.close();
  await eventually(async () => expect(await again.mayReplaceOlder()).toBe(true));
  await next.stop();
  await load.waitForWrites(20);
  await load.stop();
  expect(load.failures).toEqual([]);
  expect(await tableIds()).toEqual(oids);
});

test('a version is dropped only if no process runs it or reads it', async () => {
  await favorAd('a');
  const old = await startFirstBuild();
  const oldReader = await openReader(oldBuild);
  await oldReader.live;
  const next = await startBuild(newBuild);
  const newReader = await openReader(newBuild);
  await newReader.live;

  const dropOld = () => dropOtherVersions(writer.pool, [newBuild.projection], 0);
  expect(await dropOld()).toBe(false);
  await old.stop();
  expect(await dropOld()).toBe(false);
  await oldReader.close();
  await eventually(async () => expect(await dropOld()).toBe(true));
  expect(Object.keys(await tableIds())).toEqual(['favorite_counts__v2', 'favorites__v2']);
  const { adId, position } = await favorAd('a');
  expect(await newReader.progress.waitFor('favorites', position)).toBe(true);
  expect(await newReader.read('a')).toContain(adId);

  // A build whose version was dropped fills it again.
  await next.stop();
  await startBuild(oldBuild);
  const again = await openReader(oldBuild);
  await again.live;
  expect(await again.read('a')).toContain(adId);
});

test('a version is dropped only after 15 minutes without use, even if no process holds its lock', async () => {
  await favorAd('a');
  const old = await startFirstBuild();
  const oldReader = await openReader(oldBuild);
  await oldReader.live;
  const next = await startBuild(newBuild);
  await (await openReader(newBuild)).live;
  await old.stop();
  const dropOld = () => dropOtherVersions(writer.pool, [newBuild.projection]);
  const setUse = (minutes: number) =>
    writer.pool.query(
      `update ops.read_model_uses set used_at = now() - make_interval(mins => $1)
        where name = 'favorites' and version = 1`,
      [minutes],
    );
  const forgetEvents = () =>
    writer.pool.query(`update rm.checkpoints set updated_at = now() - interval '1 hour' where name = 'favorites'`);

  await forgetEvents();
  await setUse(60);
  // The reader holds its lock, although it has recorded no use.
  expect(await dropOld()).toBe(false);
  // The reader has lost its connection with the lock, but it still reads. A new process of its build records a use.
  await oldReader.close();
  const again = await openReader(oldBuild);
  await again.live;
  await eventually(async () => expect((await recentUses()).get('favorites@1')).toBeLessThan(60));
  await again.close();
  expect(await dropOld()).toBe(false);
  await setUse(14);
  expect(await dropOld()).toBe(false);
  expect(Object.keys(await tableIds())).toContain('favorites');
  await setUse(16);
  await eventually(async () => expect(await dropOld()).toBe(true));
  expect(Object.keys(await tableIds())).not.toContain('favorites');
  expect([...(await recentUses()).keys()]).toEqual(['favorites@2']);
  await next.stop();
});

test('projectors and readers record the versions that they use', async () => {
  await favorAd('a');
  const old = await startFirstBuild();
  await eventually(async () => expect([...(await recentUses()).keys()]).toEqual(['favorites@1']));
  await old.stop();
  await openReader(newBuild);
  await eventually(async () => expect([...(await recentUses()).keys()]).toEqual(['favorites@1', 'favorites@2']));
});

/** Returns the seconds since the last use of each version of the read model. */
async function recentUses(): Promise<ReadonlyMap<string, number>> {
  const { rows } = await writer.pool.query<{ version: string; age_s: number }>(
    `select name || '@' || version as version, extract(epoch from now() - used_at)::float8 as age_s
       from ops.read_model_uses where name = 'favorites' order by 1`,
  );
  return new Map(rows.map(({ version, age_s }) => [version, age_s]));
}

async function tableIds(): Promise<Readonly<Record<string, number>>> {
  const { rows } = await writer.pool.query<{ name: string; id: number }>(
    `select relname as name, c.oid::int as id from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname = 'rm' and relkind = 'r' and relname like 'favorite%' order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, id }) => [name, id]));
}
