import { account, registerAccount, START, streamOf, type EventStore } from '@alpenglow/domain';
import { createCommandHandler, createLogger, createPool } from '@alpenglow/infra';
import { PROJECTIONS, rebuildProjection, runProjection } from '@alpenglow/projectors';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { countOf, fill, openedStores, rowsOf, waitUntil } from '../support/copied-stores.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import type { PostgresEventStoreFixture } from '../support/postgres-event-store.ts';
import { buildTools, type Tools } from '../support/tools.ts';

let tools: Tools;
beforeAll(async () => {
  tools = await buildTools();
});
afterAll(() => tools.remove());

const stores = openedStores();
afterEach(() => stores.closeAll());
const openStore = () => stores.open();

describe('npm run migrate:store', () => {
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
    const refused = await tools.run(
      'migrate-store',
      ['--from', source.connectionString, '--to', target.connectionString],
      {},
    );
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('The target is no copy of the source: event 1 is SomethingHappened');
    expect(await countOf(target)).toBe(1);

    const same = new URL(source.connectionString);
    same.searchParams.set('application_name', 'the-same-by-another-name');
    const itself = await tools.run('migrate-store', ['--from', source.connectionString, '--to', same.href], {});
    expect(itself.code).toBe(1);
    expect(itself.stderr).toContain('Both are the same store.');
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
    const person = {
      accountId,
      email: `${number}@example.com`,
      userType: 'client',
      displayName: `Person ${number}`,
      age: 30,
      passwordHash: null,
      isDemo: false,
    } as const;
    await createCommandHandler(store).handle(
      account,
      accountId,
      (state, context) => registerAccount(person, state, context),
      origin,
    );
  }
  const positionOf = async ({ store }: PostgresEventStoreFixture, number: number) =>
    (await store.readStream(streamOf(account, String(number).padStart(32, '0')))).at(-1)?.position ?? START;
  const checkpoints = async () =>
    Object.fromEntries(
      (
        await readModels.query<{ name: string; position: string }>('select name, position from rm.checkpoints')
      ).rows.map(({ name, position }) => [name, position]),
    );
  const parked = async () =>
    (
      await readModels.query<Record<string, unknown>>(
        'select projection, position, stream, event_type, error from rm.parked_events order by 1, 2',
      )
    ).rows;
  const inUse = async () =>
    (await readModels.query<{ kind: string }>('select kind from es.store_in_use')).rows.map(({ kind }) => kind);
  const run = (extra: readonly string[] = []) =>
    tools.run('migrate-store', ['--from', old.connectionString, '--to', 'postgres', '--switch', ...extra], {
      DATABASE_URL: own.connectionString,
    });

  beforeEach(async () => {
    [old, own] = [await openStore(), await openStore()];
    // Services show by the names of their connections; this one is the test's.
    readModels = createPool({ connectionString: own.connectionString, max: 2, applicationName: 'test' });
    // The old store stands for EventStoreDB here: what it is makes no difference to the switch.
    await readModels.query(`insert into es.store_in_use (kind) values ('eventstoredb')`);
    await old.pool.query(
      `insert into es.events (position, stream, revision, id, type, version, data, meta) select 1000, 'first', 0, gen_random_uuid(), 'SomethingHappened', 1, '{}', $1`,
      [JSON.stringify(anEvent().meta)],
    );
    for (let number = 1; number <= 5; number += 1) await register(old.store, number);
    await rebuildProjection(accounts, { store: old.store, pool: readModels });
    await readModels.query(
      `insert into rm.checkpoints (name, version, position) values ('reactor', 1, $1), ('new', 1, '')`,
      [await positionOf(old, 2)],
    );
    await readModels.query(
      `insert into rm.parked_events (projection, position, stream, event_type, error) values ('accounts', $1, 's', 'T', 'why'), ('accounts', $2, 's', 'T', null)`,
      [await positionOf(old, 3), await positionOf(old, 4)],
    );
  });
  afterEach(() => readModels.end());

  test('has checkpoints and parked events go on in the new store, where projections miss nothing and double nothing', async () => {
    const before = await checkpoints();
    expect(await run()).toMatchObject({ code: 0 });
    expect(await checkpoints()).toEqual({
      accounts: await own.store.head(),
      reactor: await positionOf(own, 2),
      new: '',
    });
    expect(await inUse()).toEqual(['postgres']);
    expect(Object.values(before).sort()).not.toEqual(Object.values(await checkpoints()).sort());
    expect(await parked()).toEqual([
      { projection: 'accounts', position: await positionOf(own, 3), stream: 's', event_type: 'T', error: 'why' },
      { projection: 'accounts', position: await positionOf(own, 4), stream: 's', event_type: 'T', error: null },
    ]);

    await register(own.store, 6);
    const stopped = new AbortController();
    const running = runProjection(
      accounts,
      { store: own.store, pool: readModels, log: createLogger('silent') },
      stopped.signal,
    );
    await eventually(async () => expect((await checkpoints())['accounts']).toBe(await own.store.head()));
    stopped.abort();
    await running;
    const { rows } = await readModels.query<{ display_name: string }>(
      'select display_name from rm.accounts order by 1',
    );
    expect(rows.map((row) => row.display_name)).toEqual([1, 2, 3, 4, 5, 6].map((number) => `Person ${number}`));
  });

  test('is refused while services run, and changes nothing', async () => {
    const before = await checkpoints();
    const service = createPool({ connectionString: own.connectionString, max: 1, applicationName: 'alpenglow-leader' });
    await service.query('select 1');
    const refused = await run();
    await service.end();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(
      'Services of the product are at work on this database (alpenglow-leader). Stop them first.',
    );
    expect(await checkpoints()).toEqual(before);
    expect(await run()).toMatchObject({ code: 0 });
  });

  test('is refused when events come while it copies, and changes nothing', async () => {
    await fill(old.store, 2_000);
    const before = await checkpoints();
    const running = tools.start('migrate-store', ['--from', old.connectionString, '--to', 'postgres', '--switch'], {
      DATABASE_URL: own.connectionString,
    });
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
    const running = tools.start('migrate-store', ['--from', old.connectionString, '--to', 'postgres', '--switch'], {
      DATABASE_URL: own.connectionString,
    });
    await waitUntil(
      async () =>
        (await own.pool.query(`select from pg_locks where not granted and relation = 'rm.parked_events'::regclass`))
          .rowCount === 1,
    );
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
    await readModels.query(
      `insert into rm.checkpoints (name, version, position) values ('stray', 1, '0000000000000000999')`,
    );
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
    const refused = await tools.run(
      'migrate-store',
      ['--from', 'postgres', '--to', elsewhere.connectionString, '--switch'],
      { DATABASE_URL: own.connectionString },
    );
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('use npm run backup and npm run restore');
    expect(await countOf(elsewhere)).toBe(0);
  });
});
