import { account, EventStoreUnavailable, registerAccount, START, streamOf, type EventStore, type RecordedEvent } from '@alpenglow/domain';
import { createCommandHandler, createDataKeys, createLogger, createMemoryEventStore, createPool, withPersonalData } from '@alpenglow/infra';
import { PROJECTIONS, rebuildProjection, runProjection } from '@alpenglow/projectors';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { copyEvents, verifyCopy } from '../../infra/tools/copy/copy-events.ts';
import { readEvents } from '../../infra/tools/copy/read-events.ts';
import { main } from '../../infra/tools/migrate-store.ts';
import { anEvent, someEvents, uniqueName } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { openPostgresEventStore, type PostgresEventStoreFixture } from '../support/postgres-event-store.ts';
import { buildTools, type Tools } from '../support/tools.ts';

/** Copying events from store to store, and the command for it. */

let tools: Tools;
beforeAll(async () => {
  tools = await buildTools();
});
afterAll(() => tools.remove());

let opened: PostgresEventStoreFixture[];
beforeEach(() => {
  opened = [];
});
afterEach(async () => {
  for (const one of opened) await one.close();
});
async function openStore(): Promise<PostgresEventStoreFixture> {
  const store = await openPostgresEventStore();
  opened.push(store);
  return store;
}

/** All there is of every event but its position, as the database has it. */
async function rowsOf({ pool }: PostgresEventStoreFixture): Promise<readonly string[]> {
  const { rows } = await pool.query<{ row: string }>(`select concat_ws('|', stream, revision, id, type, version, data::text, meta::text) as row from es.events order by position`);
  return rows.map(({ row }) => row);
}
const countOf = async ({ pool }: PostgresEventStoreFixture) => Number((await pool.query<{ count: string }>('select count(*) from es.events')).rows[0]?.count);

async function waitUntil(check: () => Promise<boolean>): Promise<void> {
  await eventually(async () => expect(await check()).toBe(true), { interval_ms: 20 });
}

/** Events of a few streams in turn, so that few neighbours belong together. */
async function fill(store: EventStore, appends: number, eventsPerAppend = 1): Promise<void> {
  const streams = Array.from({ length: 7 }, () => uniqueName('s'));
  for (let n = 0; n < appends; n += 100) {
    await Promise.all(
      Array.from({ length: Math.min(100, appends - n) }, (_, place) => store.append(streams[(n + place) % streams.length] ?? '', someEvents(eventsPerAppend), { expectedRevision: 'any' })),
    );
  }
}

async function allOf(store: EventStore): Promise<readonly Omit<RecordedEvent, 'position'>[]> {
  const events = [];
  for await (const { position: _, ...event } of readEvents(store, { until: await store.head() })) events.push(event);
  return events;
}
const sourceOf = async (store: EventStore) => readEvents(store, { until: await store.head() });

describe('copying events', () => {
  test('keeps each with its id, revision, order, version, data and time, in large appends too', async () => {
    const source = createMemoryEventStore();
    await fill(source, 40, 1);
    // Neighbours of one stream: more than one append may hold, by number and by size.
    const stream = uniqueName('long');
    for (let n = 0; n < 3; n += 1) await source.append(stream, someEvents(400), { expectedRevision: 'any' });
    for (let n = 0; n < 5; n += 1) await source.append(stream, [anEvent({ version: 3, data: { words: 'ü'.repeat(200_000), a: { z: 1, b: [null, -0.5, 1e300] } } })], { expectedRevision: 'any' });
    const target = createMemoryEventStore();
    const copied = await copyEvents(await sourceOf(source), target);
    await verifyCopy(target, copied);
    expect(copied).toMatchObject({ count: 1245, found: 0 });
    expect(await allOf(target)).toEqual(await allOf(source));
  });

  test('of nothing is nothing', async () => {
    const copied = await copyEvents(await sourceOf(createMemoryEventStore()), createMemoryEventStore());
    expect(copied).toEqual({ count: 0, found: 0, sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' });
  });

  test('goes on where one that was broken off ended, and adds what came since', async () => {
    const source = createMemoryEventStore();
    await fill(source, 500);
    const target = createMemoryEventStore();
    const abort = new AbortController();
    const brokenOff = copyEvents(await sourceOf(source), target, { signal: abort.signal, onProgress: ({ done }) => done >= 200 && abort.abort() });
    await expect(brokenOff).rejects.toThrow('abort');
    const before = await allOf(target);
    expect(before.length).toBeGreaterThanOrEqual(200);
    expect(before.length).toBeLessThan(500);

    await fill(source, 30);
    const copied = await copyEvents(await sourceOf(source), target);
    await verifyCopy(target, copied);
    expect(copied).toMatchObject({ count: 530, found: before.length });
    expect(await allOf(target)).toEqual(await allOf(source));
  });

  test('goes on through short outages of either store, and writes nothing twice', async () => {
    const [source, target] = [createMemoryEventStore(), createMemoryEventStore()];
    await fill(source, 50);
    let calls = 0;
    const away = () => {
      if ((calls += 1) % 5 === 2) throw new EventStoreUnavailable('away');
    };
    const copied = await copyEvents(
      readEvents({ ...source, readAll: async (options) => (away(), source.readAll(options)) }, { until: await source.head() }),
      {
        ...target,
        // The answer is lost, the events are not.
        append: async (...append) => {
          const result = await target.append(...append);
          away();
          return result;
        },
      },
    );
    await verifyCopy(target, copied);
    expect(await allOf(target)).toEqual(await allOf(source));
  });

  test.each([
    ['an event the source has not', async (target: EventStore) => void (await target.append('elsewhere', someEvents(1), { expectedRevision: 'no-stream' })), 'The target is no copy of the source: event 1 is SomethingHappened'],
    ['the first event with other contents', async (target: EventStore, [first]: readonly RecordedEvent[]) => void (first && (await target.append(first.stream, [{ ...first, data: { changed: true } }], { expectedRevision: 'no-stream' }))), 'with other contents'],
    ['the second event first', async (target: EventStore, [, second]: readonly RecordedEvent[]) => void (second && (await target.append(second.stream, [second], { expectedRevision: 'no-stream' }))), 'where the source has'],
    [
      'more than the source',
      async (target: EventStore, events: readonly RecordedEvent[]) => {
        for (const event of events) await target.append(event.stream, [event], { expectedRevision: 'any' });
        await target.append('later', someEvents(1), { expectedRevision: 'no-stream' });
      },
      'The target holds more than the source: event 11 is SomethingHappened',
    ],
  ])('refuses a target that holds %s, and leaves it alone', async (_what, prepare, message) => {
    const [source, target] = [createMemoryEventStore(), createMemoryEventStore()];
    await fill(source, 10);
    await prepare(target, await source.readAll({ after: START }));
    const before = await allOf(target);
    await expect(copyEvents(await sourceOf(source), target)).rejects.toThrow(message);
    expect(await allOf(target)).toEqual(before);
  });

  test('stops when somebody else writes into the target', async () => {
    const [source, target] = [createMemoryEventStore(), createMemoryEventStore()];
    await fill(source, 20);
    const taken = (await source.readAll({ after: START })).at(-1)?.stream ?? '';
    let isFirst = true;
    const meddled = {
      ...target,
      append: async (...append: Parameters<EventStore['append']>) => {
        if (isFirst) await target.append(taken, someEvents(1), { expectedRevision: 'any' });
        isFirst = false;
        return target.append(...append);
      },
    };
    await expect(copyEvents(await sourceOf(source), meddled)).rejects.toThrow('Somebody else writes into the target');
  });

  test.each([
    ['an event less', (events: readonly RecordedEvent[]) => events.slice(0, -1)],
    ['two events the other way round', ([first, second, ...rest]: readonly RecordedEvent[]) => [second, first, ...rest].filter((event) => event !== undefined)],
    ['another time', ([first, ...rest]: readonly RecordedEvent[]) => (first ? [{ ...first, meta: { ...first.meta, at: '2026-01-01T00:00:00.000Z' } }, ...rest] : rest)],
    ['another revision', ([first, ...rest]: readonly RecordedEvent[]) => (first ? [{ ...first, revision: first.revision + 1 }, ...rest] : rest)],
  ])('is found out when the copy has %s', async (_what, change) => {
    const [source, target] = [createMemoryEventStore(), createMemoryEventStore()];
    await fill(source, 10);
    const copied = await copyEvents(await sourceOf(source), target);
    const events = change(await target.readAll({ after: START }));
    const changed = { ...target, head: () => Promise.resolve(events.at(-1)?.position ?? START), readAll: ({ after }: Parameters<EventStore['readAll']>[0]) => Promise.resolve(after === START ? [...events] : []) };
    await expect(verifyCopy(changed, copied)).rejects.toThrow('The copy is not the same');
  });
});

describe('reading a history', () => {
  test.each([
    ['at once', 0],
    ['after a page', 1_000],
  ])('fails when the store ends %s, before the event it is read up to', async (_what, given) => {
    const source = createMemoryEventStore();
    await fill(source, 1_100);
    const until = await source.head();
    const cutOff = { ...source, readAll: async (options: Parameters<EventStore['readAll']>[0]) => (await source.readAll(options)).filter(({ position }) => Number(position) <= given) };
    let told = 0;
    const reading = async () => {
      for await (const _event of readEvents(cutOff, { until })) told += 1;
    };
    await expect(reading()).rejects.toThrow(`The store has an event at ${until}, but gave none after`);
    expect(told).toBe(given);
    // What was told is no whole copy either.
    await expect(copyEvents(readEvents(cutOff, { until }), createMemoryEventStore())).rejects.toThrow('but gave none after');
  });
});

describe('npm run migrate:store', () => {
  test('copies what is stored as it is stored: personal data stays sealed', async () => {
    const [source, target] = [await openStore(), await openStore()];
    const sealing = withPersonalData(source.store, createDataKeys(source.pool, 'ab'.repeat(32)));
    const person = { accountId: 'a'.repeat(32), email: 'somebody@example.com', userType: 'client', displayName: 'Somebody', age: 30, passwordHash: null, isDemo: false } as const;
    await createCommandHandler(sealing).handle(account, person.accountId, (state, context) => registerAccount(person, state, context), { actor: { kind: 'system', name: 'test' }, correlationId: 'c' });
    await fill(source.store, 300, 2);

    const { code, stdout, stderr } = await tools.run('migrate-store', ['--from', source.connectionString, '--to', target.connectionString], {});
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/^Verified: 60[12] events, sha256 [\da-f]{64}$/mu);
    const rows = await rowsOf(target);
    expect(rows).toEqual(await rowsOf(source));
    expect(rows.join()).toContain('$sealed');
    expect(rows.join()).not.toContain('somebody@example.com');
  });

  test('is gone on with after kill -9 and after Ctrl-C, and adds what was written meanwhile', async () => {
    const [source, target] = [await openStore(), await openStore()];
    await fill(source.store, 6_000);
    const args = ['--from', source.connectionString, '--to', target.connectionString];

    const killed = tools.start('migrate-store', args, {});
    await waitUntil(async () => (await countOf(target)) > 300);
    killed.kill('SIGKILL');
    await killed.ended;
    const afterKill = await countOf(target);
    expect(afterKill).toBeLessThan(6_000);

    const interrupted = tools.start('migrate-store', args, {});
    await waitUntil(async () => (await countOf(target)) > afterKill + 300);
    interrupted.kill('SIGINT');
    expect((await interrupted.ended).code).toBe(130);
    expect(await countOf(target)).toBeLessThan(6_000);

    await fill(source.store, 100);
    const finished = await tools.run('migrate-store', args, {});
    expect(finished).toMatchObject({ code: 0 });
    expect(finished.stderr).toMatch(/Copied \d+ events; [1-9]\d* were there\./u);
    expect(await rowsOf(target)).toEqual(await rowsOf(source));
  });

  test('refuses a target with an event of somebody else, and the source itself', async () => {
    const [source, target] = [await openStore(), await openStore()];
    await fill(source.store, 10);
    await fill(target.store, 1);
    const refused = await tools.run('migrate-store', ['--from', source.connectionString, '--to', target.connectionString], {});
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('The target is no copy of the source: event 1 is SomethingHappened');
    expect(await countOf(target)).toBe(1);

    const same = new URL(source.connectionString);
    same.searchParams.set('application_name', 'the-same-by-another-name');
    const itself = await tools.run('migrate-store', ['--from', source.connectionString, '--to', same.href], {});
    expect(itself.code).toBe(1);
    expect(itself.stderr).toContain('Both are the same store.');
  });

  test.each([
    ['nothing', []],
    ['no target', ['--from', 'postgres']],
    ['no store', ['--from', 'postgres', '--to', 'mysql://localhost/x']],
    ['an unknown option', ['--from', 'postgres', '--to', 'esdb://localhost:2113', '--force']],
    ['a word too much', ['--from', 'postgres', '--to', 'esdb://localhost:2113', 'now']],
  ])('answers %s with its usage and exit code 2', async (_what, args) => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await main(args, { env: {}, rootDir: '/nowhere', ownsDataDir: false })).toBe(2);
    expect(said.mock.calls.flat().join()).toContain('Usage: npm run migrate:store');
  });
});

describe('npm run migrate:store -- --switch', () => {
  const accounts = PROJECTIONS.find(({ name }) => name === 'accounts');
  if (!accounts) throw new Error('There is no projection of accounts');
  const origin = { actor: { kind: 'system', name: 'test' }, correlationId: 'test' } as const;
  /** The old store, whose positions begin far up; and the product's database, to which the events are to move. */
  let old: PostgresEventStoreFixture;
  let own: PostgresEventStoreFixture;
  let readModels: Pool;

  async function register(store: EventStore, number: number): Promise<void> {
    const accountId = String(number).padStart(32, '0');
    const person = { accountId, email: `${number}@example.com`, userType: 'client', displayName: `Person ${number}`, age: 30, passwordHash: null, isDemo: false } as const;
    await createCommandHandler(store).handle(account, accountId, (state, context) => registerAccount(person, state, context), origin);
  }
  const positionOf = async ({ store }: PostgresEventStoreFixture, number: number) =>
    (await store.readStream(streamOf(account, String(number).padStart(32, '0')))).at(-1)?.position ?? START;
  const checkpoints = async () =>
    Object.fromEntries((await readModels.query<{ name: string; position: string }>('select name, position from rm.checkpoints')).rows.map(({ name, position }) => [name, position]));
  const parked = async () => (await readModels.query<Record<string, unknown>>('select projection, position, stream, event_type, error from rm.parked_events order by 1, 2')).rows;
  const inUse = async () => (await readModels.query<{ kind: string }>('select kind from es.store_in_use')).rows.map(({ kind }) => kind);
  const run = (extra: readonly string[] = []) => tools.run('migrate-store', ['--from', old.connectionString, '--to', 'postgres', '--switch', ...extra], { DATABASE_URL: own.connectionString });

  beforeEach(async () => {
    [old, own] = [await openStore(), await openStore()];
    // Services show by the names of their connections; this one is the test's.
    readModels = createPool({ connectionString: own.connectionString, max: 2, applicationName: 'test' });
    // The old store stands for EventStoreDB here: what it is makes no difference to the switch.
    await readModels.query(`insert into es.store_in_use (kind) values ('eventstoredb')`);
    await old.pool.query(`insert into es.events (position, stream, revision, id, type, version, data, meta) select 1000, 'first', 0, gen_random_uuid(), 'SomethingHappened', 1, '{}', $1`, [JSON.stringify(anEvent().meta)]);
    for (let number = 1; number <= 5; number += 1) await register(old.store, number);
    await rebuildProjection(accounts, { store: old.store, pool: readModels });
    await readModels.query(`insert into rm.checkpoints (name, version, position) values ('reactor', 1, $1), ('new', 1, '')`, [await positionOf(old, 2)]);
    await readModels.query(`insert into rm.parked_events (projection, position, stream, event_type, error) values ('accounts', $1, 's', 'T', 'why'), ('accounts', $2, 's', 'T', null)`, [
      await positionOf(old, 3),
      await positionOf(old, 4),
    ]);
  });
  afterEach(() => readModels.end());

  test('has checkpoints and parked events go on in the new store, where projections miss nothing and double nothing', async () => {
    const before = await checkpoints();
    expect(await run()).toMatchObject({ code: 0 });
    expect(await checkpoints()).toEqual({ accounts: await own.store.head(), reactor: await positionOf(own, 2), new: '' });
    expect(await inUse()).toEqual(['postgres']);
    expect(Object.values(before).sort()).not.toEqual(Object.values(await checkpoints()).sort());
    expect(await parked()).toEqual([
      { projection: 'accounts', position: await positionOf(own, 3), stream: 's', event_type: 'T', error: 'why' },
      { projection: 'accounts', position: await positionOf(own, 4), stream: 's', event_type: 'T', error: null },
    ]);

    await register(own.store, 6);
    const stopped = new AbortController();
    const running = runProjection(accounts, { store: own.store, pool: readModels, log: createLogger('silent') }, stopped.signal);
    await eventually(async () => expect((await checkpoints())['accounts']).toBe(await own.store.head()));
    stopped.abort();
    await running;
    const { rows } = await readModels.query<{ display_name: string }>('select display_name from rm.accounts order by 1');
    expect(rows.map((row) => row.display_name)).toEqual([1, 2, 3, 4, 5, 6].map((number) => `Person ${number}`));
  });

  test('is refused while services run, and changes nothing', async () => {
    const before = await checkpoints();
    const service = createPool({ connectionString: own.connectionString, max: 1, applicationName: 'alpenglow-leader' });
    await service.query('select 1');
    const refused = await run();
    await service.end();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Services of the product are at work on this database (alpenglow-leader). Stop them first.');
    expect(await checkpoints()).toEqual(before);
    expect(await run()).toMatchObject({ code: 0 });
  });

  test('is refused when events come while it copies, and changes nothing', async () => {
    await fill(old.store, 2_000);
    const before = await checkpoints();
    const running = tools.start('migrate-store', ['--from', old.connectionString, '--to', 'postgres', '--switch'], { DATABASE_URL: own.connectionString });
    await waitUntil(async () => (await countOf(own)) > 50);
    await register(old.store, 7);
    const refused = await running.ended;
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Events came while this was copying.');
    expect(await checkpoints()).toEqual(before);
    expect(await run()).toMatchObject({ code: 0 });
    expect(await rowsOf(own)).toEqual(await rowsOf(old));
  });

  test('is refused when the source grows while the switch is under way, and changes nothing', async () => {
    const before = [await checkpoints(), await parked()];
    const holding = await readModels.connect();
    // The switch waits here, when it has found the source at the head of the copy.
    await holding.query('begin; lock table rm.parked_events in share mode');
    const running = tools.start('migrate-store', ['--from', old.connectionString, '--to', 'postgres', '--switch'], { DATABASE_URL: own.connectionString });
    await waitUntil(async () => (await own.pool.query(`select from pg_locks where not granted and relation = 'rm.parked_events'::regclass`)).rowCount === 1);
    await register(old.store, 7);
    await holding.query('commit');
    holding.release();
    const refused = await running.ended;
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Events came while this was copying.');
    expect([await checkpoints(), await parked()]).toEqual(before);
    expect(await inUse()).toEqual(['eventstoredb']);
    expect(await run()).toMatchObject({ code: 0 });
    expect(await rowsOf(own)).toEqual(await rowsOf(old));
  });

  test('is refused when a checkpoint is at no event of the source, and changes nothing: so a second time too', async () => {
    await readModels.query(`insert into rm.checkpoints (name, version, position) values ('stray', 1, '0000000000000000999')`);
    const before = [await checkpoints(), await parked()];
    const refused = await run();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Checkpoint stray is at 0000000000000000999, where the source has no event.');
    expect([await checkpoints(), await parked()]).toEqual(before);

    await readModels.query(`delete from rm.checkpoints where name = 'stray'`);
    expect(await run()).toMatchObject({ code: 0 });
    const switched = [await checkpoints(), await parked()];
    const again = await run();
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('Was this database switched over already');
    expect([await checkpoints(), await parked()]).toEqual(switched);
  });

  test('is refused when the target is another Postgres than the product reads', async () => {
    const elsewhere = await openStore();
    const refused = await tools.run('migrate-store', ['--from', 'postgres', '--to', elsewhere.connectionString, '--switch'], { DATABASE_URL: own.connectionString });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('use npm run backup and npm run restore');
    expect(await countOf(elsewhere)).toBe(0);
  });
});
