import { EventStoreUnavailable, START_POSITION, type AppendResult, type RecordedEvent } from '@alpenglow/domain';
import { createPool, createPostgresEventStore, withSharedSubscription } from '@alpenglow/infra';
import type { QueryConfig } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takeEvents } from '../support/event-histories.ts';
import { anEvent, someEvents, uniqueName } from '../support/events.ts';
import { openPostgresEventStore, type PostgresEventStoreFixture } from '../support/postgres-event-store.ts';
import { describeEventStore } from './event-store.ts';
import { describeSharedSubscription } from './shared-subscription.ts';
import { eventually } from '../support/eventually.ts';

const SHORT_POLLS = { interval_ms: 5 };

describeEventStore('Postgres', openPostgresEventStore, { isExclusive: true, detectsIdsOfAllStreams: true });

describeEventStore(
  'Postgres, shared',
  async () => {
    const inner = await openPostgresEventStore();
    return {
      ...inner,
      store: withSharedSubscription(inner.store),
      openAnother: () => withSharedSubscription(inner.openAnother()),
    };
  },
  { isExclusive: true, detectsIdsOfAllStreams: true },
);

describeSharedSubscription('Postgres', openPostgresEventStore, { isExclusive: true });

describe('event store: Postgres only', () => {
  let fixture: PostgresEventStoreFixture;
  beforeAll(async () => {
    fixture = await openPostgresEventStore();
  });
  afterAll(() => fixture.close());

  /**
   * Runs `action` while the append of another connection is paused. The paused append already has a position in the
   * event log, but it is not committed.
   */
  async function duringUncommittedAppend(action: () => Promise<void>): Promise<void> {
    const client = await fixture.pool.connect();
    try {
      await client.query('begin');
      await client.query(
        `select * from es.append(
           array[$1], '{1}', '{-1}', '{1}', array[gen_random_uuid()], '{Slow}', '{1}', '{"{}"}', '{"{}"}', false)`,
        [uniqueName('slow')],
      );
      await action();
    } finally {
      await client.query('commit');
      client.release();
    }
  }

  async function countWaitingAppends(): Promise<number> {
    const { rows } = await fixture.pool.query<{ waiting: number }>(
      `select count(*)::integer as waiting from pg_locks l join pg_database d on d.oid = l.database
       where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`,
    );
    return rows[0]?.waiting ?? 0;
  }

  it('never shows a later append before an earlier one', async () => {
    const start = await fixture.store.readHead();
    const abort = new AbortController();
    const delivered = takeEvents(fixture.store.subscribeAll({ after: start, signal: abort.signal }), 2);
    const stores = [fixture.openAnother(), fixture.openAnother()];
    const later: Promise<AppendResult>[] = [];

    await duringUncommittedAppend(async () => {
      for (const store of stores)
        later.push(store.append(uniqueName('fast'), someEvents(1), { expectedRevision: 'no-stream' }));
      await eventually(async () => expect(await countWaitingAppends()).toBe(2), SHORT_POLLS);
      expect(await fixture.store.readHead()).toBe(start);
      expect(await fixture.store.readAll({ after: start })).toEqual([]);
    });

    await Promise.all(later);
    expect((await delivered).map(({ type }) => type)[0]).toBe('Slow');
    abort.abort();
  });

  it('rejects appends when too many wait, and completes all accepted ones', async () => {
    const start = await fixture.store.readHead();
    const attempts: Promise<AppendResult>[] = [];
    await duringUncommittedAppend(async () => {
      for (let index = 0; index < 6_000; index += 1) {
        const attempt = fixture.store.append(uniqueName('flood'), someEvents(1), { expectedRevision: 'no-stream' });
        attempt.catch(() => undefined);
        attempts.push(attempt);
      }
      await eventually(async () => expect(await countWaitingAppends()).toBe(1), SHORT_POLLS);
    });
    const settled = await Promise.allSettled(attempts);
    const rejected = settled.filter((attempt) => attempt.status === 'rejected');
    expect(rejected.length).toBeGreaterThan(0);
    for (const { reason } of rejected) expect(reason).toBeInstanceOf(EventStoreUnavailable);

    const positions = settled
      .filter((attempt): attempt is PromiseFulfilledResult<AppendResult> => attempt.status === 'fulfilled')
      .map(({ value }) => value.position);
    const stored: RecordedEvent[] = [];
    for (
      let page = await fixture.store.readAll({ after: start });
      page.length > 0;
      page = await fixture.store.readAll({ after: page.at(-1)?.position ?? start })
    )
      stored.push(...page);
    expect(stored.filter(({ type }) => type !== 'Slow').map(({ position }) => position)).toEqual(positions.toSorted());
  });

  /**
   * Opens a new event log, and a store with a single connection for reads. `countReads` then counts the events that all
   * earlier statements of this connection have read.
   */
  async function openNewLog() {
    const newLog = await openPostgresEventStore();
    const pool = createPool({ connectionString: newLog.connectionString, max: 1, applicationName: 'test' });
    const store = newLog.openAnother(pool);
    return {
      pool,
      store,
      async countReads(): Promise<number> {
        await pool.query('select pg_stat_force_next_flush()');
        const { rows } = await pool.query<{ reads: number }>(
          `select (seq_tup_read + idx_tup_fetch)::integer as reads from pg_stat_user_tables
            where relid = 'es.events'::regclass`,
        );
        return rows[0]?.reads ?? 0;
      },
      async fill(): Promise<void> {
        for (let batch = 0; batch < 8; batch += 1)
          await store.append(uniqueName('stream'), someEvents(500), { expectedRevision: 'no-stream' });
      },
      async close(): Promise<void> {
        await store.close();
        await pool.end();
        await newLog.close();
      },
    };
  }

  it('reads no other events than those of a page, although the table has no statistics yet', async () => {
    const { store, countReads, fill, close } = await openNewLog();
    try {
      await fill();
      for (const types of [undefined, ['SomethingHappened']]) {
        const before = await countReads();
        const page = await store.readAll({ after: START_POSITION, limit: 100, ...(types && { types }) });
        expect(page).toHaveLength(100);
        expect(await countReads()).toBeLessThan(before + 200);
      }
    } finally {
      await close();
    }
  });

  it.each([
    ['append', `array['one'], '{1}', '{-2}', '{1}', array[gen_random_uuid()], '{A}', '{1}', '{"{}"}', '{"{}"}', false`],
    ['append_one', `'one', -2, gen_random_uuid(), 'A', 1::smallint, '{}', '{}'`],
  ])('reads only ends of streams and of the log in es.%s, also after the table has grown', async (name, args) => {
    const { pool, countReads, fill, close } = await openNewLog();
    const append = () => pool.query({ name: 'append', text: `select outcome from es.${name}(${args})` });
    try {
      await append();
      // For a table that is known to be small, Postgres prefers plans that read all of it.
      await pool.query('analyze es.events');
      await append();
      await fill();
      const before = await countReads();
      expect((await append()).rows).toEqual([{ outcome: 'appended' }]);
      expect(await countReads()).toBeLessThan(before + 10);
    } finally {
      await close();
    }
  });

  it('scans each part of the log only once for a subscription to rare types', async () => {
    const scans: string[] = [];
    const query = fixture.pool.query.bind(fixture.pool);
    const spied = new Proxy(fixture.pool, {
      get(pool, key) {
        if (key !== 'query') return Reflect.get(pool, key) as unknown;
        return (config: QueryConfig) => {
          if (config.name === 'es-read')
            // A subscription also reads the last event of the previous scan, to check that the log still contains it.
            scans.push(`${String(Number(config.values?.[0]) + 1).padStart(19, '0')}-${String(config.values?.[1])}`);
          return query(config);
        };
      },
    });
    const store = fixture.openAnother(spied);
    const abort = new AbortController();
    const delivered = takeEvents(
      store.subscribeAll({ after: await store.readHead(), types: ['Wanted'], signal: abort.signal }),
      1,
    );
    for (let index = 0; index < 5; index += 1) {
      const { position } = await store.append(uniqueName('others'), someEvents(10), { expectedRevision: 'no-stream' });
      await eventually(() => expect(scans.some((scan) => scan.endsWith(position))).toBe(true), SHORT_POLLS);
    }
    await store.append(uniqueName('stream'), [anEvent({ type: 'Wanted' })], { expectedRevision: 'no-stream' });
    await delivered;
    for (const [index, scan] of scans.entries())
      if (index > 0) expect(scan.split('-')[0]).toBe(scans[index - 1]?.split('-')[1]);
    abort.abort();
  });

  it('finds all events of a rare type across several scans, in order', async () => {
    const store = createPostgresEventStore({
      pool: fixture.pool,
      connectionString: fixture.connectionString,
      range_events: 7,
    });
    try {
      const after = await store.readHead();
      const rare: string[] = [];
      for (let index = 0; index < 5; index += 1) {
        await store.append(uniqueName('others'), someEvents(9), { expectedRevision: 'no-stream' });
        const event = anEvent({ type: 'Rare' });
        await store.append(uniqueName('rare'), [event], { expectedRevision: 'no-stream' });
        rare.push(event.id);
      }
      const idsOf = (events: readonly RecordedEvent[]) => events.map(({ id }) => id);
      expect(idsOf(await store.readAll({ after, types: ['Rare'] }))).toEqual(rare);
      const [first, second, ...none] = await store.readAll({ after, types: ['Rare'], limit: 2 });
      expect(none).toEqual([]);
      expect([first?.id, second?.id]).toEqual(rare.slice(0, 2));
      expect(idsOf(await store.readAll({ after: second?.position ?? after, types: ['Rare'] }))).toEqual(rare.slice(2));
      expect(await store.readAll({ after: START_POSITION, types: ['NeverSeen'] })).toEqual([]);
      const subscribed = await takeEvents(
        store.subscribeAll({ after, types: ['Rare'], signal: new AbortController().signal }),
        rare.length,
      );
      expect(idsOf(subscribed)).toEqual(rare);
    } finally {
      await store.close();
    }
  });

  it('prevents every change and removal of an event', async () => {
    await fixture.store.append(uniqueName('stream'), someEvents(1), { expectedRevision: 'no-stream' });
    for (const statement of [`update es.events set type = 'Forged'`, 'delete from es.events', 'truncate es.events']) {
      await expect(fixture.pool.query(statement)).rejects.toThrow('Events are never changed or removed');
    }
  });
});
