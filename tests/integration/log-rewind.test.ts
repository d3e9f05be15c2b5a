import { once } from 'node:events';
import {
  LIVE_CLOSE_CODES,
  LogRewound,
  START_POSITION,
  toStreamId,
  listing,
  type EventStore,
  type JobQueue,
  type Position,
} from '@alpenglow/domain';
import {
  createAuditLog,
  createLogger,
  createPool,
  createPostgresEventStore,
  withSharedSubscription,
  createProbes,
  createReadModelProgress,
  createSlots,
  createStoreLiveFeed,
  findLostReadModels,
  verifyAuditLog,
  type AuditLog,
  type Pool,
  createMetrics,
} from '@alpenglow/infra';
import {
  createLagReader,
  createRebuildCheck,
  PROJECTIONS,
  rebuildProjection,
  runAuditChain,
  runProjection,
  runReactor,
  type Projection,
  type Reactor,
} from '@alpenglow/projectors';
import express from 'express';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { adPosted } from '../../domain/test/listing/posted-ad.ts';
import { runNextStep } from '../../projectors/src/replay/rebuild-steps.ts';
import { createProjectionReader } from '../../query-api/src/admin/replay/projection-reader.ts';
import { createSyncStatus } from '../../query-api/src/sync.ts';
import { copyRows } from '../support/copied-rows.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { createGate } from '../support/gate.ts';
import { adIdOf } from '../support/live-ads.ts';
import { serveLiveChannel, type ServedChannel } from '../support/live-channel.ts';
import { connectLive } from '../support/live.ts';
import { MAX_WAIT_ms } from '../support/max-wait.ts';
import { runWithRetries } from '../support/run-with-retries.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

// Tests that no consumer misses an event after the event log was replaced by an older state, and that lost events have
// no further effect. In a failover of Postgres, the read models are replaced together with the log. After a restore of
// EventStoreDB, the read models in Postgres still contain the lost events. A memory event store stands for
// EventStoreDB.

const log = createLogger('silent');
const LOST = 5;
/** The time limit of waits that must not end before it. */
const EXPECTED_TIMEOUT_ms = 2_000;

let database: TestDatabase;
let pool: Pool;
beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool({
    connectionString: database.connectionString,
    max: PROJECTIONS.length + 8,
    applicationName: 'test',
  });
});
afterEach(async () => {
  await pool.end();
  await database.drop();
});

const eventOfAd = (owner: string) =>
  anEvent({
    ...adPosted({ accountId: owner, adId: `ad-${owner}`, title: `About ${owner}`, isDemo: true }),
    meta: { ...anEvent().meta, at: new Date().toISOString() },
  });

async function postAds(store: EventStore, owners: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const owner of owners) {
    const event = eventOfAd(owner);
    await store.append(toStreamId(listing, owner), [event], { expectedRevision: 'any' });
    ids.push(event.id);
  }
  return ids;
}

const reactor: Reactor = {
  name: 'reactor-test',
  on: { AdPosted: (event) => ({ kind: 'video-probe', payload: { mediaId: event.data.adId } }) },
};

/** Runs all consumers of the log, as the processes of the product do. */
function startConsumers(store: EventStore, auditLog: AuditLog) {
  const jobIds = new Set<string>();
  const jobs: JobQueue = {
    enqueue: async (_kind, _payload, { jobId }) => void jobIds.add(jobId),
    close: async () => undefined,
  };
  const duties = [
    ...PROJECTIONS.map(
      (projection) => (signal: AbortSignal) => runProjection(projection, { store, pool, log }, signal),
    ),
    (signal: AbortSignal) => runReactor(reactor, { store, pool, jobs, log }, signal),
    (signal: AbortSignal) => runAuditChain({ store, log: auditLog }, signal),
  ].map((duty) => runWithRetries(duty));
  return { jobIds, stop: () => Promise.all(duties.map((duty) => duty.stop())) };
}

async function expectCaughtUp(store: EventStore, owners: readonly string[]): Promise<void> {
  await eventually(async () => {
    const { rows } = await pool.query<{ id: string }>('select ad_id as id from rm.ad_cards order by 1');
    expect(rows.map(({ id }) => id)).toEqual(owners.map((owner) => `ad-${owner}`).toSorted());
    const head = await store.readHead();
    const { rowCount } = await pool.query('select from rm.checkpoints where name = any($1) and position = $2', [
      PROJECTIONS.map(({ name }) => name),
      head,
    ]);
    // Every projection must have tables, because a copy of the rows must not contain a table that is being built.
    expect(rowCount).toBe(PROJECTIONS.length);
  });
}

interface Installation {
  readonly store: EventStore;
  /** Marks the state to which `fail` returns. */
  prepare(): Promise<void>;
  /** Replaces the log by the marked state. */
  fail(): Promise<void>;
}

const INSTALLATIONS: readonly { readonly name: string; readonly open: () => Installation }[] = [
  {
    name: 'a failover of Postgres',
    open() {
      const store = createPostgresEventStore({ pool, connectionString: database.connectionString });
      let restore: () => Promise<void>;
      return {
        store,
        prepare: async () => void (restore = await copyRows(pool, ['es', 'rm', 'audit'])),
        fail: () => restore(),
      };
    },
  },
  {
    name: 'a restore of the log only',
    open() {
      const store = createMemoryEventStore();
      let head: Position;
      return {
        store,
        prepare: async () => void (head = await store.readHead()),
        fail: async () => store.rewindTo(head),
      };
    },
  },
];

describe.for(INSTALLATIONS)('after $name', ({ open }) => {
  let installation: Installation;
  let store: EventStore;
  let auditLog: AuditLog;
  let consumers: ReturnType<typeof startConsumers>;
  let served: ServedChannel;

  beforeEach(async () => {
    installation = open();
    store = withSharedSubscription(installation.store);
    auditLog = createAuditLog(pool);
    consumers = startConsumers(store, auditLog);
    served = await serveLiveChannel({ store, feed: createStoreLiveFeed({ store, log }) });
  });
  afterEach(async () => {
    await served.stop();
    await consumers.stop();
    await store.close();
  });

  const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
  const waitForChain = async () => {
    const events = (await store.readAll({ after: START_POSITION })).length;
    await eventually(async () => expect((await auditLog.head()).events).toBe(events));
  };

  test.for([
    { added: LOST - 2, title: 'fewer' },
    { added: LOST, title: 'the same number of' },
    { added: LOST + 2, title: 'more' },
  ])('every consumer handles $title new events, and lost events disappear', async ({ added }) => {
    const base = numbered('base', 3);
    await postAds(store, base);
    await expectCaughtUp(store, base);
    await waitForChain();
    await installation.prepare();
    const lost = numbered('lost', LOST);
    const client = await connectLive(served.url);
    await postAds(store, lost);
    await expectCaughtUp(store, [...base, ...lost]);
    await waitForChain();
    const { seq: since } = await client.next((message) => adIdOf(message) === `ad-${lost.at(-1)}`);

    await installation.fail();
    const fresh = numbered('new', added);
    const ids = await postAds(store, fresh);

    await expectCaughtUp(store, [...base, ...fresh]);
    await eventually(() => expect(ids.filter((id) => !consumers.jobIds.has(id))).toEqual([]));
    expect(await client.closed).toBe(LIVE_CLOSE_CODES.tooOld);
    await waitForChain();
    expect((await verifyAuditLog({ store, log: auditLog })).problems).toEqual([]);

    // A client that was not connected during the change must reload its data as well.
    expect(await (await connectLive(served.url, { since })).closed).toBe(LIVE_CLOSE_CODES.tooOld);
    const again = await connectLive(served.url);
    await postAds(store, ['last']);
    await again.next((message) => adIdOf(message) === 'ad-last');
    expect(again.messages.map(adIdOf)).toEqual(['ad-last']);
  });
});

describe('a read model with effects of lost events', () => {
  const cards = PROJECTIONS.find(({ name }) => name === 'ad_cards') as Projection;
  let store: ReturnType<typeof createMemoryEventStore>;
  let common: Position;
  beforeEach(async () => {
    store = createMemoryEventStore();
    await postAds(store, ['base']);
    common = await store.readHead();
    await postAds(store, ['lost-0', 'lost-1']);
  });
  afterEach(() => store.close());

  const run = (yieldToOtherWork?: () => Promise<void>) =>
    runWithRetries((signal) =>
      runProjection(cards, { store, pool, log, ...(yieldToOtherWork && { yieldToOtherWork }) }, signal),
    );
  const adIds = async () =>
    (await pool.query<{ id: string }>('select ad_id as id from rm.ad_cards order by 1')).rows.map(({ id }) => id);
  async function buildWithLostEvents(): Promise<void> {
    await rebuildProjection(cards, { store, pool });
    expect(await adIds()).toEqual(['ad-base', 'ad-lost-0', 'ad-lost-1']);
  }

  /** Returns what the product reports. `wait_ms` is the time limit of the wait until the read model is fresh. */
  async function readReports(wait_ms: number) {
    const progress = createReadModelProgress({ pool, connectionString: database.connectionString });
    const server = express()
      .use(
        createProbes(
          { metrics: createMetrics(), metricsToken: null },
          async () => true,
          () => findLostReadModels(pool),
        ),
      )
      .listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as { port: number };
      const isFresh = await progress.waitFor(cards.name, await store.readHead(), undefined, wait_ms);
      const { data } = await createSyncStatus({ pool, store })();
      const [view] = await createProjectionReader({ pool, store }).list();
      const lags = await createLagReader({ store, pool })();
      return {
        readiness: (await (await fetch(`http://127.0.0.1:${port}/readyz`)).json()) as unknown,
        state: data.projections.map(({ state, lag }) => ({ state, lag })),
        view: { hasLostEvents: view?.hasLostEvents, lag: view?.lag },
        isLagging: (lags[cards.name] ?? 0) > 0,
        isFresh,
      };
    } finally {
      server.close();
      await progress.close();
    }
  }
  const NOT_CURRENT = {
    readiness: { status: 'ready', notCurrent: ['ad_cards'] },
    state: [{ state: 'catching up', lag: 3 }],
    view: { hasLostEvents: true, lag: 3 },
    isLagging: true,
    isFresh: false,
  };
  const CURRENT = {
    readiness: { status: 'ready' },
    state: [{ state: 'live', lag: 0 }],
    view: { hasLostEvents: false, lag: 0 },
    isLagging: false,
    isFresh: true,
  };
  const lostPositions = async () =>
    (await pool.query<{ lost: Position | null }>('select lost_position as lost from rm.checkpoints')).rows.map(
      ({ lost }) => lost,
    );

  test('is reported as not current until its rebuilt tables take over, although its position is the end', async () => {
    await buildWithLostEvents();
    const end = await store.readHead();
    expect(await readReports(MAX_WAIT_ms)).toEqual(CURRENT);
    store.rewindTo(common);
    await postAds(store, ['new-0', 'new-1']);
    expect(await store.readHead()).toBe(end);
    const gate = createGate();
    const running = run(gate.yieldToOtherWork);
    try {
      await gate.waitUntilReached();
      expect(await lostPositions()).toEqual([end]);
      expect(await readReports(EXPECTED_TIMEOUT_ms)).toEqual(NOT_CURRENT);
      gate.open();
      await eventually(async () => expect(await adIds()).toEqual(['ad-base', 'ad-new-0', 'ad-new-1']));
      expect(await lostPositions()).toEqual([null]);
      expect(await readReports(MAX_WAIT_ms)).toEqual(CURRENT);
    } finally {
      gate.open();
      await running.stop();
    }
  });

  test('stays reported if the rebuild cannot be done, and is rebuilt by the next process', async () => {
    await buildWithLostEvents();
    store.rewindTo(common);
    await postAds(store, ['new-0', 'new-1']);
    const failing = run(() => Promise.reject(new Error('the disk is full')));
    await eventually(async () => expect(await lostPositions()).not.toEqual([null]));
    await failing.stop();
    expect(await readReports(EXPECTED_TIMEOUT_ms)).toEqual(NOT_CURRENT);
    // A process of an earlier build does not check the event, and moves the checkpoint.
    await pool.query('update rm.checkpoints set event_id = null, event_position = null');
    expect(await readReports(EXPECTED_TIMEOUT_ms)).toEqual(NOT_CURRENT);
    const running = run();
    await eventually(async () => expect(await adIds()).toEqual(['ad-base', 'ad-new-0', 'ad-new-1']));
    await running.stop();
    expect(await readReports(MAX_WAIT_ms)).toEqual(CURRENT);
  });

  test('delays the readiness of the projectors until a limit, and stays reported after it', async () => {
    let now_ms = 0;
    const warnings: unknown[] = [];
    const isReady = createRebuildCheck({
      findNotCurrent: () => findLostReadModels(pool),
      log: { warn: (fields: unknown) => void warnings.push(fields) },
      limit_ms: 1_000,
      now: () => now_ms,
    });
    await buildWithLostEvents();
    expect(await isReady()).toBe(true);
    const loseEvents = async () => {
      store.rewindTo(common);
      await postAds(store, ['new-0', 'new-1']);
      const failing = run(() => Promise.reject(new Error('the disk is full')));
      await eventually(async () => expect(await lostPositions()).not.toEqual([null]));
      await failing.stop();
    };
    await loseEvents();
    // The time before the first check does not count.
    now_ms += 1_000;
    expect(await isReady()).toBe(false);
    now_ms += 999;
    expect(await isReady()).toBe(false);
    now_ms += 1;
    expect([await isReady(), await isReady()]).toEqual([true, true]);
    expect(warnings).toEqual([{ readModels: [cards.name] }]);
    expect(await readReports(EXPECTED_TIMEOUT_ms)).toEqual(NOT_CURRENT);

    const running = run();
    await eventually(async () => expect(await lostPositions()).toEqual([null]));
    await running.stop();
    expect(await isReady()).toBe(true);
    // The limit starts again with the next loss.
    await loseEvents();
    expect(await isReady()).toBe(false);
  });

  test('is reported if the log ends before its position, even while no projectors run', async () => {
    await buildWithLostEvents();
    store.rewindTo(common);
    const { data } = await createSyncStatus({ pool, store })();
    expect(data.projections).toMatchObject([{ state: 'catching up', lag: 1 }]);
    expect(await createProjectionReader({ pool, store }).list()).toMatchObject([{ hasLostEvents: true, lag: 1 }]);
  });

  test.for([1, 2, 3])('a rebuild notices that the log is replaced again, with %i new events', async (count) => {
    await buildWithLostEvents();
    store.rewindTo(common);
    await postAds(store, ['lost-again-0', 'lost-again-1']);
    const gate = createGate();
    const running = run(gate.yieldToOtherWork);
    try {
      // The rebuild has read the events of this log.
      await gate.waitUntilReached();
      store.rewindTo(common);
      const owners = Array.from({ length: count }, (_, n) => `new-${n}`);
      await postAds(store, owners);
      gate.open();
      await eventually(async () => {
        expect(await adIds()).toEqual(['ad-base', ...owners.map((owner) => `ad-${owner}`)]);
        expect(await lostPositions()).toEqual([null]);
      });
    } finally {
      gate.open();
      await running.stop();
    }
  });

  test('a rebuild that an admin has requested starts again instead of taking over with lost events', async () => {
    await buildWithLostEvents();
    await pool.query(
      `insert into rm.rebuilds (projection, rebuild_id, version, state, requested_at)
       values ($1, 'rebuild-1', $2, 'running', now())`,
      [cards.name, cards.version],
    );
    const never = new AbortController().signal;
    const step = () =>
      runNextStep(
        cards,
        { store, pool, slots: createSlots({ max: 1, maxWaiting: 1, wait_ms: 60_000 }) },
        { signal: never, cancelled: never, isPausing: () => false },
      );
    const readState = async () =>
      (await pool.query<{ state: string; position: Position | null }>('select state, position from rm.rebuilds')).rows;
    await step();
    await step();
    const end = await store.readHead();
    expect(await readState()).toEqual([{ state: 'ready', position: end }]);
    await pool.query(`update rm.rebuilds set state = 'swapping'`);
    store.rewindTo(common);
    await postAds(store, ['new-0', 'new-1', 'new-2']);
    await expect(step()).rejects.toThrow(LogRewound);
    expect(await readState()).toEqual([{ state: 'running', position: null }]);
    expect((await pool.query(`select from rm.checkpoints where position = $1`, [end])).rowCount).toBe(1);
  });
});
