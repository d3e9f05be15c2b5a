import { account, START_POSITION, toStreamId, type EventStore } from '@alpenglow/domain';
import { registerAccount } from '@alpenglow/domain/deciders';
import { createCommandHandler, createLogger, createPool } from '@alpenglow/infra';
import { PROJECTIONS, rebuildProjection, runProjection } from '@alpenglow/projectors';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  countEvents,
  appendEvents,
  createEventStoreFactory,
  eventRowsOf,
  slowDownAppends,
  waitUntil,
} from '../support/event-store-factory.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import type { PostgresEventStoreFixture } from '../support/postgres-event-store.ts';
import { buildTools, type Tools } from '../support/tools.ts';

let tools: Tools;
beforeAll(async () => {
  tools = await buildTools();
});
afterAll(() => tools.remove());

const stores = createEventStoreFactory();
afterEach(() => stores.closeAll());
const openStore = () => stores.open();

describe('npm run migrate:store', () => {
  test('resumes after kill -9 and Ctrl-C, and adds events that were written in the meantime', async () => {
    const [source, target] = [await openStore(), await openStore()];
    await appendEvents(source.store, 6_000);
    const args = ['--from', source.connectionString, '--to', target.connectionString];
    const endSlowAppends = await slowDownAppends(target);

    const killed = tools.start('migrate-store', args, {});
    await waitUntil(async () => (await countEvents(target)) > 300);
    killed.kill('SIGKILL');
    await killed.ended;
    const afterKill = await countEvents(target);
    expect(afterKill).toBeLessThan(6_000);

    const interrupted = tools.start('migrate-store', args, {});
    await waitUntil(async () => (await countEvents(target)) > afterKill + 300);
    interrupted.kill('SIGINT');
    expect((await interrupted.ended).code).toBe(130);
    expect(await countEvents(target)).toBeLessThan(6_000);

    await endSlowAppends();
    await appendEvents(source.store, 100);
    const finished = await tools.run('migrate-store', args, {});
    expect(finished).toMatchObject({ code: 0 });
    expect(finished.stderr).toMatch(/Copied \d+ events; [1-9]\d* were already there\./u);
    expect(await eventRowsOf(target)).toEqual(await eventRowsOf(source));
  });

  test('rejects a target with an unknown event, and the source as its own target', async () => {
    const [source, target] = [await openStore(), await openStore()];
    await appendEvents(source.store, 10);
    await appendEvents(target.store, 1);
    const rejected = await tools.run(
      'migrate-store',
      ['--from', source.connectionString, '--to', target.connectionString],
      {},
    );
    expect(rejected).toMatchObject({ code: 1, stdout: '' });
    expect(rejected.stderr).toContain('The target is no copy of the source: event 1 is SomethingHappened');
    expect(await countEvents(target)).toBe(1);

    const same = new URL(source.connectionString);
    same.searchParams.set('application_name', 'the-same-by-another-name');
    const itself = await tools.run('migrate-store', ['--from', source.connectionString, '--to', same.href], {});
    expect(itself.code).toBe(1);
    expect(itself.stderr).toContain('Both are the same store.');
  });
});

describe('npm run migrate:store -- --switch', () => {
  const accounts = PROJECTIONS.find(({ name }) => name === 'accounts');
  if (!accounts) throw new Error('The projection accounts is missing');
  const origin = { actor: { kind: 'system', name: 'test' }, correlationId: 'test' } as const;
  /**
   * `oldStore` is the source of the copy, and its positions start at a high number. `ownStore` is the target in the
   * database of the product.
   */
  let oldStore: PostgresEventStoreFixture;
  let ownStore: PostgresEventStoreFixture;
  let readModels: Pool;

  async function register(store: EventStore, number: number): Promise<void> {
    const accountId = String(number).padStart(32, '0');
    const person = {
      accountId,
      email: `${number}@example.com`,
      userType: 'client',
      displayName: `Person ${number}`,
      age: 30,
      passwordHash: null,
      isDemo: false,
    } as const;
    await createCommandHandler(store).execute(account, accountId, registerAccount, person, origin);
  }
  const positionOf = async ({ store }: PostgresEventStoreFixture, number: number) =>
    (await store.readStream(toStreamId(account, String(number).padStart(32, '0')))).at(-1)?.position ?? START_POSITION;
  const checkpoints = async () =>
    Object.fromEntries(
      (
        await readModels.query<{ name: string; position: string }>('select name, position from rm.checkpoints')
      ).rows.map(({ name, position }) => [name, position]),
    );
  const parkedEvents = async () =>
    (
      await readModels.query<Record<string, unknown>>(
        'select projection, position, stream, event_type, error from rm.parked_events order by 1, 2',
      )
    ).rows;
  const storesInUse = async () =>
    (await readModels.query<{ kind: string }>('select kind from es.store_in_use')).rows.map(({ kind }) => kind);
  const run = (extra: readonly string[] = []) =>
    tools.run('migrate-store', ['--from', oldStore.connectionString, '--to', 'postgres', '--switch', ...extra], {
      DATABASE_URL: ownStore.connectionString,
    });

  beforeEach(async () => {
    [oldStore, ownStore] = [await openStore(), await openStore()];
    // The command recognizes running services by the application names of their connections. The name `test`
    // does not count as a service.
    readModels = createPool({ connectionString: ownStore.connectionString, max: 2, applicationName: 'test' });
    // The old store is on Postgres, but it simulates a store on EventStoreDB. The switch handles both kinds of stores
    // in the same way.
    await readModels.query(`insert into es.store_in_use (kind) values ('eventstoredb')`);
    await oldStore.pool.query(
      `insert into es.events (position, stream, revision, id, type, version, data, meta)
       select 1000, 'first', 0, gen_random_uuid(), 'SomethingHappened', 1, '{}', $1`,
      [JSON.stringify(anEvent().meta)],
    );
    for (let number = 1; number <= 5; number += 1) await register(oldStore.store, number);
    await rebuildProjection(accounts, { store: oldStore.store, pool: readModels });
    await readModels.query(
      `insert into rm.checkpoints (name, version, position) values ('reactor', 1, $1), ('new', 1, '')`,
      [await positionOf(oldStore, 2)],
    );
    await readModels.query(
      `insert into rm.parked_events (projection, position, stream, event_type, error)
       values ('accounts', $1, 's', 'T', 'why'), ('accounts', $2, 's', 'T', null)`,
      [await positionOf(oldStore, 3), await positionOf(oldStore, 4)],
    );
  });
  afterEach(() => readModels.end());

  test('moves checkpoints and parked events, so that projections skip and repeat no event', async () => {
    const before = await checkpoints();
    expect(await run()).toMatchObject({ code: 0 });
    expect(await checkpoints()).toEqual({
      accounts: await ownStore.store.readHead(),
      reactor: await positionOf(ownStore, 2),
      new: '',
    });
    expect(await storesInUse()).toEqual(['postgres']);
    expect(Object.values(before).sort()).not.toEqual(Object.values(await checkpoints()).sort());
    expect(await parkedEvents()).toEqual([
      { projection: 'accounts', position: await positionOf(ownStore, 3), stream: 's', event_type: 'T', error: 'why' },
      { projection: 'accounts', position: await positionOf(ownStore, 4), stream: 's', event_type: 'T', error: null },
    ]);

    await register(ownStore.store, 6);
    const stopped = new AbortController();
    const running = runProjection(
      accounts,
      { store: ownStore.store, pool: readModels, log: createLogger('silent') },
      stopped.signal,
    );
    await eventually(async () => expect((await checkpoints())['accounts']).toBe(await ownStore.store.readHead()));
    stopped.abort();
    await running;
    const { rows } = await readModels.query<{ display_name: string }>(
      'select display_name from rm.accounts order by 1',
    );
    expect(rows.map((row) => row.display_name)).toEqual([1, 2, 3, 4, 5, 6].map((number) => `Person ${number}`));
  });

  test('is rejected without changes while services are running', async () => {
    const before = await checkpoints();
    const service = createPool({
      connectionString: ownStore.connectionString,
      max: 1,
      applicationName: 'alpenglow-leader',
      // The tool may start late, so the connection must stay open while it is not used.
      idleTimeout_ms: 0,
    });
    await service.query('select 1');
    const rejected = await run();
    await service.end();
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toContain(
      'Services of the product are using this database (alpenglow-leader). Stop them first.',
    );
    expect(await checkpoints()).toEqual(before);
    expect(await run()).toMatchObject({ code: 0 });
  });

  test('is rejected without changes if events arrive during the copy', async () => {
    await appendEvents(oldStore.store, 2_000);
    const before = await checkpoints();
    const endSlowAppends = await slowDownAppends(ownStore);
    const running = tools.start(
      'migrate-store',
      ['--from', oldStore.connectionString, '--to', 'postgres', '--switch'],
      {
        DATABASE_URL: ownStore.connectionString,
      },
    );
    await waitUntil(async () => (await countEvents(ownStore)) > 50);
    await register(oldStore.store, 7);
    await endSlowAppends();
    const rejected = await running.ended;
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toContain('New events were added during the copy.');
    expect(await checkpoints()).toEqual(before);
    expect(await run()).toMatchObject({ code: 0 });
    expect(await eventRowsOf(ownStore)).toEqual(await eventRowsOf(oldStore));
  });

  test('is rejected without changes if the source receives an event during the switch', async () => {
    const before = [await checkpoints(), await parkedEvents()];
    const lockHolder = await readModels.connect();
    // After the command has checked the copy, it waits for this lock. The test can therefore add an event before the
    // switch.
    await lockHolder.query('begin; lock table rm.parked_events in share mode');
    const running = tools.start(
      'migrate-store',
      ['--from', oldStore.connectionString, '--to', 'postgres', '--switch'],
      {
        DATABASE_URL: ownStore.connectionString,
      },
    );
    await waitUntil(
      async () =>
        (
          await ownStore.pool.query(
            `select from pg_locks where not granted and relation = 'rm.parked_events'::regclass`,
          )
        ).rowCount === 1,
    );
    await register(oldStore.store, 7);
    await lockHolder.query('commit');
    lockHolder.release();
    const rejected = await running.ended;
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toContain('New events were added during the copy.');
    expect([await checkpoints(), await parkedEvents()]).toEqual(before);
    expect(await storesInUse()).toEqual(['eventstoredb']);
    expect(await run()).toMatchObject({ code: 0 });
    expect(await eventRowsOf(ownStore)).toEqual(await eventRowsOf(oldStore));
  });

  test('is rejected without changes if a checkpoint matches no event of the source, as in a second run', async () => {
    await readModels.query(
      `insert into rm.checkpoints (name, version, position) values ('stray', 1, '0000000000000000999')`,
    );
    const before = [await checkpoints(), await parkedEvents()];
    const rejected = await run();
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toContain('Checkpoint stray is at 0000000000000000999, where the source has no event.');
    expect([await checkpoints(), await parkedEvents()]).toEqual(before);

    await readModels.query(`delete from rm.checkpoints where name = 'stray'`);
    expect(await run()).toMatchObject({ code: 0 });
    const switched = [await checkpoints(), await parkedEvents()];
    const again = await run();
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('Was this database switched over already');
    expect([await checkpoints(), await parkedEvents()]).toEqual(switched);
  });

  test('is rejected if the target is not the Postgres of the product', async () => {
    const elsewhere = await openStore();
    const rejected = await tools.run(
      'migrate-store',
      ['--from', 'postgres', '--to', elsewhere.connectionString, '--switch'],
      { DATABASE_URL: ownStore.connectionString },
    );
    expect(rejected.code).toBe(1);
    expect(rejected.stderr).toContain('use npm run backup and npm run restore');
    expect(await countEvents(elsewhere)).toBe(0);
  });
});
