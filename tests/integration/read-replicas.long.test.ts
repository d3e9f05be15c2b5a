import path from 'node:path';
import { createLogger, createPool, createReadPool, migrate, PRIMARY_NAME, type Pool } from '@alpenglow/infra';
import { Client } from 'pg';
import { afterEach, beforeAll, afterAll, describe, expect, test } from 'vitest';
import { startDatabases, type Databases, type Replica } from '../support/postgres-with-replica.ts';
import { MIGRATIONS_DIR } from '../support/database.ts';
import { after, apiClient, type ApiClient } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { METRICS_TOKEN, startTestProduct, type TestProduct } from '../support/product.ts';
import { createServerFolder, removeServerFiles } from '../support/server-folder.mjs';

const READ = 'select value, pg_is_in_recovery() as "onReplica" from numbers where id = $1';
const READS_IN_PARALLEL = 20;

interface LogLine {
  readonly replica: string;
  readonly state: string;
}

let dir: string;
let databases: Databases;
let pool: Pool;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  dir = await createServerFolder('replicas');
  databases = await startDatabases(path.join(dir, 'first'));
  await migrate(databases.url, { migrationsDir: MIGRATIONS_DIR });
  pool = createPool({ connectionString: databases.url, max: 10, applicationName: 'test' });
  await pool.query('create table numbers (id text primary key, value integer not null)');
});
afterAll(async () => {
  await pool?.end();
  await databases?.close();
  await removeServerFiles(dir);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Opens a pool for reads. `states` has the states that its log reports. */
function openReads(replicas: readonly Pick<Replica, 'url'>[], primary = pool) {
  const lines: LogLine[] = [];
  const servers: string[] = [];
  const reads = createReadPool({
    pool: primary,
    primary,
    connectionStrings: replicas.map(({ url }) => url),
    log: createLogger('info', { write: (line) => lines.push(JSON.parse(line) as LogLine) }),
    onRead: (server) => servers.push(server),
  });
  closing.push(() => reads.close());
  return {
    reads,
    servers,
    states: ({ url }: Pick<Replica, 'url'>) =>
      lines.flatMap(({ replica, state }) => (url.endsWith(replica) ? [state] : [])),
    read: async (id: string) => {
      const { rows } = await reads.query<{ value: number; onReplica: boolean }>({ text: READ, values: [id] });
      return { value: rows[0]?.value ?? null, onReplica: rows[0]?.onReplica ?? null };
    },
  };
}

const write = (id: string, value: number) =>
  pool.query('insert into numbers (id, value) values ($1, $2) on conflict (id) do update set value = excluded.value', [
    id,
    value,
  ]);

/** Runs statements on a server, without a pool. */
async function onServer<Row extends object>(url: string, ...statements: readonly string[]): Promise<Row | undefined> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    let row: Row | undefined;
    for (const statement of statements) row = (await client.query<Row>(statement)).rows[0];
    return row;
  } finally {
    await client.end();
  }
}

describe('a pool with read replicas', () => {
  test('reads from the replica, which includes every acknowledged write', async () => {
    const { read, servers } = openReads([databases.replica]);
    await eventually(async () => {
      await write('acknowledged', 0);
      expect((await read('acknowledged')).onReplica).toBe(true);
    });
    for (let value = 1; value <= 200; value += 1) {
      await write('acknowledged', value);
      const results = await Promise.all(Array.from({ length: 3 }, () => read('acknowledged')));
      expect(results.map((result) => result.value)).toEqual([value, value, value]);
    }
    expect(servers.length).toBeGreaterThanOrEqual(600);
    expect(servers.every((name) => name === PRIMARY_NAME || databases.replica.url.endsWith(name))).toBe(true);
  });

  test('reads commits that do not wait until they are on disk', async () => {
    const { read } = openReads([databases.replica]);
    const client = new Client({ connectionString: databases.url });
    await client.connect();
    closing.push(() => client.end());
    await client.query('set synchronous_commit = off');
    await write('asynchronous', 0);
    for (let value = 1; value <= 100; value += 1) {
      await client.query(`update numbers set value = ${value} where id = 'asynchronous'`);
      expect((await read('asynchronous')).value).toBe(value);
    }
  });

  test('skips a replica that is behind, until it has caught up', async () => {
    const { read, states } = openReads([databases.replica]);
    await write('behind', 1);
    await eventually(async () => expect(await read('behind')).toEqual({ value: 1, onReplica: true }));
    await onServer(databases.replica.directUrl(), 'select pg_wal_replay_pause()');
    await write('behind', 2);
    const results = await Promise.all(Array.from({ length: READS_IN_PARALLEL }, () => read('behind')));
    expect(results).toEqual(results.map(() => ({ value: 2, onReplica: false })));
    await eventually(() => expect(states(databases.replica).at(-1)).toBe('behind'));
    expect(await read('behind')).toEqual({ value: 2, onReplica: false });
    await onServer(databases.replica.directUrl(), 'select pg_wal_replay_resume()');
    await eventually(async () => expect(await read('behind')).toEqual({ value: 2, onReplica: true }));
    expectOnlyChanges(states(databases.replica));
  });

  test('skips an unreachable replica, and moves running reads to the primary server', async () => {
    const { reads, read, states } = openReads([databases.replica]);
    await write('unreachable', 1);
    const expectOnReplica = () =>
      eventually(async () => expect(await read('unreachable')).toEqual({ value: 1, onReplica: true }));
    await expectOnReplica();
    databases.replica.link.resetConnections();
    expect(await read('unreachable')).toEqual({ value: 1, onReplica: false });
    await eventually(() => expect(states(databases.replica).at(-1)).toBe('unreachable'));
    databases.replica.link.restore();
    await expectOnReplica();
    // A server that does not respond at all ends neither the connection nor the statement.
    const running = reads.query<{ onReplica: boolean }>(
      `select pg_is_in_recovery() as "onReplica", pg_sleep(case when pg_is_in_recovery() then 10 else 0 end)`,
    );
    databases.replica.link.discardData();
    expect((await running).rows[0]?.onReplica).toBe(false);
    expect(await read('unreachable')).toEqual({ value: 1, onReplica: false });
    databases.replica.link.restore();
    await expectOnReplica();
    expectOnlyChanges(states(databases.replica));
  });

  test('works if no replica has ever been reachable', async () => {
    const missing = { url: databases.replica.url.replace(/:\d+\//u, ':1/') };
    const { read, states } = openReads([missing]);
    await write('missing', 1);
    expect(await read('missing')).toEqual({ value: 1, onReplica: false });
    await eventually(() => expect(states(missing)).toEqual(['unreachable']));
    expect(await read('missing')).toEqual({ value: 1, onReplica: false });
  });

  test('distributes reads over all replicas', async () => {
    const second = await databases.addReplica();
    const { read, servers } = openReads([databases.replica, second]);
    await write('distributed', 1);
    await eventually(async () => {
      await Promise.all(Array.from({ length: READS_IN_PARALLEL }, () => read('distributed')));
      for (const { url } of [databases.replica, second])
        expect(servers.filter((name) => url.endsWith(name)).length).toBeGreaterThan(READS_IN_PARALLEL / 4);
    });
    second.link.resetConnections();
    for (let value = 2; value < 50; value += 1) {
      await write('distributed', value);
      expect((await read('distributed')).value).toBe(value);
    }
  });

  test('runs a statement again on the primary server if replayed changes cancel it', async () => {
    const replica = await databases.addReplica({ max_standby_streaming_delay: '0' });
    const { reads, read, servers } = openReads([replica]);
    await pool.query('create table conflicts as select 1 as value');
    await write('conflict', 1);
    await eventually(async () => expect(await read('conflict')).toEqual({ value: 1, onReplica: true }));
    let isOver = false;
    const startRead = () => {
      isOver = false;
      const read = reads.query<{ value: number; onReplica: boolean }>(
        `select value, pg_is_in_recovery() as "onReplica", pg_sleep(case when pg_is_in_recovery() then 10 else 0 end)
           from conflicts`,
      );
      void read.catch(() => undefined).then(() => (isOver = true));
      return read;
    };
    let running = startRead();
    await eventually(async () => {
      // The read was quick, so it has run on the primary server, because the replica was late.
      if (isOver) running = startRead();
      expect(
        await onServer(
          replica.directUrl(),
          `select from pg_stat_activity where query like '%from conflicts%' and
          application_name = 'alpenglow-reads' and state = 'active'`,
        ),
      ).toBeDefined();
    });
    // The change of the table needs a lock that conflicts with the running statement.
    await pool.query('alter table conflicts add column other integer');
    expect((await running).rows[0]).toMatchObject({ value: 1, onReplica: false });
    expect(servers.at(-1)).toBe(PRIMARY_NAME);
  });

  test('rejects a wrong statement with the error of the primary server', async () => {
    const { reads } = openReads([databases.replica]);
    await expect(reads.query('select from missing')).rejects.toMatchObject({ code: '42P01' });
  });

  test('works with a role without privileges on the server', async () => {
    await pool.query(`create role reader login password 'reader'`);
    await pool.query('grant usage on schema ops to reader; grant select on numbers to reader');
    await pool.query('grant select, insert, update on ops.read_model_uses to reader');
    const asReader = (address: string) => address.replace(/\/\/[^@]+@/u, '//reader:reader@');
    const readerPool = createPool({ connectionString: asReader(databases.url), max: 3, applicationName: 'reader' });
    closing.push(() => readerPool.end());
    await write('reader', 1);
    const { read } = openReads([{ url: asReader(databases.replica.url) }], readerPool);
    await eventually(async () => expect(await read('reader')).toEqual({ value: 1, onReplica: true }));
  });

  test('skips a server of another cluster', async () => {
    const other = await startDatabases(path.join(dir, 'other'));
    closing.push(() => other.close());
    await migrate(other.url, { migrationsDir: MIGRATIONS_DIR });
    await onServer(
      other.url,
      'create table numbers (id text primary key, value integer not null)',
      `insert into numbers values ('cluster', 2)`,
    );
    await write('cluster', 1);
    const { read, states } = openReads([other.replica]);
    await eventually(() => expect(states(other.replica).at(-1)).toBe('another cluster'));
    expect(await read('cluster')).toEqual({ value: 1, onReplica: false });
  });

  test('skips the primary server in the list of replicas', async () => {
    const { states, servers, read } = openReads([databases]);
    await eventually(() => expect(states(databases).at(-1)).toBe('not a replica'));
    await read('none');
    expect(servers).toEqual([PRIMARY_NAME]);
  });
});

/**
 * On the primary server, commits become visible in another order than in the WAL, which determines the order on
 * replicas. Two readers can therefore observe two commits in a different order (a long fork).
 */
describe('a long fork', () => {
  test('is limited to commits that were not acknowledged', async () => {
    const { read } = openReads([databases.replica]);
    await write('first', 0);
    await write('second', 0);
    await eventually(async () => expect(await read('second')).toEqual({ value: 0, onReplica: true }));
    const readServer = async (url: string) => {
      const row = await onServer<{ values: number[] }>(
        url,
        `select array_agg(value order by id) as values from numbers where id in ('first', 'second')`,
      );
      return row?.values;
    };
    // Commits now wait for a replica that does not exist. Meanwhile they are visible on the existing replica only.
    await onServer(databases.url, `alter system set synchronous_standby_names = 'missing'`, 'select pg_reload_conf()');
    await eventually(async () =>
      expect(await onServer(databases.url, 'show synchronous_standby_names')).toEqual({
        synchronous_standby_names: 'missing',
      }),
    );
    const acknowledged = write('first', 1);
    await eventually(async () => expect(await readServer(databases.replica.directUrl())).toEqual([1, 0]));
    await onServer(databases.url, 'set synchronous_commit = local', `update numbers set value = 1 where id = 'second'`);
    // The two servers show the two commits in a different order.
    expect(await readServer(databases.directUrl())).toEqual([0, 1]);
    // Every server shows the acknowledged commit to reads.
    for (let n = 0; n < READS_IN_PARALLEL; n += 1) expect((await read('second')).value).toBe(1);

    await onServer(databases.url, 'alter system reset synchronous_standby_names', 'select pg_reload_conf()');
    await acknowledged;
    for (let n = 0; n < READS_IN_PARALLEL; n += 1)
      expect([(await read('first')).value, (await read('second')).value]).toEqual([1, 1]);
  });

  test('is never observed by readers of acknowledged writes on servers with different lag', async () => {
    const late = await databases.addReplica();
    const readers = [openReads([databases.replica]), openReads([late]), openReads([databases.replica, late])];
    const acknowledged = { first: 0, second: 0 };
    await Promise.all([write('first', 0), write('second', 0)]);
    for (const { read } of readers) await eventually(async () => expect((await read('second')).onReplica).toBe(true));
    late.upstream.delayData(15);
    let isOver = false;
    const writers = (['first', 'second'] as const).map(async (id) => {
      for (let value = 1; value <= 150; value += 1) {
        await write(id, value);
        acknowledged[id] = value;
      }
    });
    const reading = readers.map(async ({ read }) => {
      while (!isOver) {
        const before = { ...acknowledged };
        const [first, second] = await Promise.all([read('first'), read('second')]);
        expect(first.value).toBeGreaterThanOrEqual(before.first);
        expect(second.value).toBeGreaterThanOrEqual(before.second);
      }
    });
    await Promise.all(writers);
    isOver = true;
    await Promise.all(reading);
    late.upstream.restore();
  });
});

describe('the product with a read replica', () => {
  let product: TestProduct;
  let api: ApiClient;
  const replicaName = () => databases.replica.url.replace(/^.*@/u, '');
  beforeAll(async () => {
    product = await startTestProduct(
      { databaseReadUrls: [databases.replica.url] },
      { databaseUrl: databases.url, dataDir: path.join(dir, 'data') },
    );
    api = apiClient(product.url);
  });
  afterAll(() => product?.stop());

  async function readMetric(name: string, label: string): Promise<number> {
    const response = await fetch(`${product.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    const line = (await response.text()).split('\n').find((text) => text.startsWith(`${name}{${label}}`));
    return Number(line?.split(' ').at(-1));
  }
  /** Reads the title of an ad as a visitor, from the list and from its page. */
  async function readTitles(id: string, position: string) {
    const headers = after(position);
    const [list, page] = await Promise.all([
      api.call('GET', '/api/ads?limit=50', { headers }),
      api.call('GET', `/api/ads/${id}`, { headers }),
    ]);
    const listed = (list.body['data'] as { id: string; title: string }[]).find((ad) => ad.id === id);
    return [listed?.title, (page.body['data'] as { title: string }).title];
  }
  const countReads = (server: string) => readMetric('read_statements_total', `server="${server}"`);

  test('shows visitors each write with its position, also while the replica is late or away', async () => {
    const { token } = await api.signUp('provider');
    const { id, position } = await api.postAd(token);
    await eventually(async () => {
      await readTitles(id, position);
      expect(await countReads(replicaName())).toBeGreaterThan(0);
      expect(await readMetric('read_replica_usable', `replica="${replicaName()}"`)).toBe(1);
    });
    const edit = async (title: string) => {
      const edited = await api.call('PUT', `/api/ads/${id}`, { token, body: { title } });
      return edited.headers.get('x-position') ?? '';
    };
    for (let n = 0; n < 20; n += 1) {
      const written = await edit(`Title ${n}`);
      expect(await readTitles(id, written)).toEqual([`Title ${n}`, `Title ${n}`]);
    }
    await onServer(databases.replica.directUrl(), 'select pg_wal_replay_pause()');
    expect(await readTitles(id, await edit('Late'))).toEqual(['Late', 'Late']);
    await onServer(databases.replica.directUrl(), 'select pg_wal_replay_resume()');
    databases.replica.link.resetConnections();
    expect(await readTitles(id, await edit('Away'))).toEqual(['Away', 'Away']);
    await eventually(async () => expect(await readMetric('read_replica_usable', `replica="${replicaName()}"`)).toBe(0));
    expect((await api.call('GET', '/api/health')).status).toBe(200);
    const before = await countReads(PRIMARY_NAME);
    expect(await readTitles(id, await edit('Still away'))).toEqual(['Still away', 'Still away']);
    expect(await countReads(PRIMARY_NAME)).toBeGreaterThan(before);
    databases.replica.link.restore();
  });

  test('reads own items and other data of accounts on the primary server', async () => {
    const { token } = await api.signUp('provider');
    const { id } = await api.postAd(token);
    await eventually(async () => expect(await readMetric('read_replica_usable', `replica="${replicaName()}"`)).toBe(1));
    const countAll = async () => (await countReads(PRIMARY_NAME)) + (await countReads(replicaName()));
    const before = await countAll();
    for (const target of ['/api/ads/user', `/api/ads/${id}`, '/api/community/follows'])
      expect((await api.call('GET', target, { token })).status, target).toBe(200);
    expect(await countAll()).toBe(before);
  });
});

/** These tests replace the primary server, so they come last. */
describe('after a promotion', () => {
  test('only replicas with the history of the new primary server serve reads', async () => {
    const stray = await databases.addReplica();
    const { read, states, servers } = openReads([databases.replica, stray]);
    await write('promoted', 1);
    await eventually(async () => {
      await Promise.all(Array.from({ length: READS_IN_PARALLEL }, () => read('promoted')));
      expect(servers.some((name) => stray.url.endsWith(name))).toBe(true);
    });
    await databases.promote(async () => {
      await write('promoted', 2);
      // The replica `stray` receives much WAL that the new primary server does not have.
      await pool.query(`create table lost as select repeat('x', 500) as text from generate_series(1, 100000)`);
      await eventually(async () =>
        expect(await onServer(stray.directUrl(), 'select count(*)::integer as rows from lost')).toEqual({
          rows: 100_000,
        }),
      );
    });
    const readAfterwards = () => eventually(() => read('promoted'));
    expect((await readAfterwards()).value).toBe(1);
    await eventually(() => write('promoted', 3));
    servers.length = 0;
    await eventually(async () => {
      expect(await readAfterwards()).toEqual({ value: 3, onReplica: true });
      expect(states(stray).at(-1)).toBe('another history');
    });
    for (let n = 0; n < READS_IN_PARALLEL; n += 1) expect((await readAfterwards()).value).toBe(3);
    expect(servers.filter((name) => stray.url.endsWith(name))).toEqual([]);
  });

  test('a restored backup serves no reads from replicas of the lost state', async () => {
    const stray = await databases.addReplica();
    const { read, servers } = openReads([databases.replica, stray]);
    await eventually(() => write('restored', 1));
    await databases.backUp();
    await write('restored', 2);
    await eventually(async () => expect(await read('restored')).toEqual({ value: 2, onReplica: true }));
    await databases.restore();
    servers.length = 0;
    expect((await eventually(() => read('restored'))).value).toBe(1);
    await eventually(async () => expect(await read('restored')).toEqual({ value: 1, onReplica: true }));
    for (let n = 0; n < READS_IN_PARALLEL; n += 1) expect((await read('restored')).value).toBe(1);
    expect(servers.filter((name) => stray.url.endsWith(name))).toEqual([]);
  });
});

/** A log line about a replica reports another state than the line before it. */
function expectOnlyChanges(states: readonly string[]): void {
  expect(states.filter((state, index) => state === states[index - 1])).toEqual([]);
}
