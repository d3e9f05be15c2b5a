import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { isTransient, migrate, migrateJobs } from '@alpenglow/infra';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { openTcpLink } from '../support/tcp-link.ts';

describe('the migration of a database', () => {
  let database: TestDatabase;
  let migrationsDir: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    migrationsDir = await mkdtemp(join(tmpdir(), 'alpenglow-migrations-'));
    await writeFile(
      join(migrationsDir, '0001_first.sql'),
      'create table first (id integer); insert into first values (1);',
    );
  });
  afterEach(async () => {
    await database.drop();
    await rm(migrationsDir, { recursive: true, force: true });
  });

  const run = () => migrate(database.connectionString, { migrationsDir });

  async function select(sql: string): Promise<unknown[]> {
    const client = new Client({ connectionString: database.connectionString });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(sql);
    await client.end();
    return rows;
  }

  it('runs each file once, for any number of runs and parallel processes', async () => {
    await Promise.all([run(), run(), run(), run()]);
    await run();
    expect(await select('select * from first')).toEqual([{ id: 1 }]);
  });

  it('runs new files', async () => {
    await run();
    await writeFile(join(migrationsDir, '0002_second.sql'), 'insert into first values (2);');
    await run();
    expect(await select('select * from first order by id')).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('changes nothing if a file fails, and reports the reason', async () => {
    await writeFile(join(migrationsDir, '0002_second.sql'), 'create table second (id integer);');
    await writeFile(join(migrationsDir, '0003_broken.sql'), 'create table third (id no_such_type);');
    await expect(run()).rejects.toThrow('no_such_type');
    expect(await select(`select to_regclass('first') as first, to_regclass('second') as second`)).toEqual([
      { first: null, second: null },
    ]);
  });

  it('does not wait for the locks of a process that receives no data and sends none', async () => {
    const link = await openTcpLink(Number(new URL(database.connectionString).port));
    const throughLink = new URL(database.connectionString);
    throughLink.port = String(link.port);
    await writeFile(join(migrationsDir, '0002_slow.sql'), 'select pg_sleep(0.5);');
    const isolated = migrate(throughLink.href, { migrationsDir });
    isolated.catch(() => undefined);
    const activity = (where: string) =>
      select(
        `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and ${where}`,
      );
    await eventually(async () => expect(await activity(`query like '%pg_sleep%'`)).toHaveLength(1));
    link.discardData();
    const [session] = (await activity(`query like '%pg_sleep%'`)) as { pid: number }[];
    // A transaction with the limit of other connections, which lasts longer.
    const other = new Client({
      connectionString: database.connectionString,
      idle_in_transaction_session_timeout: 60_000,
    });
    const ended = vi.fn();
    other.on('error', ended);
    await other.connect();
    await other.query('begin');
    await run();
    expect(ended).not.toHaveBeenCalled();
    expect(await activity(`pid = ${session?.pid}`)).toEqual([]);
    await other.end();
    await link.close();
    await expect(isolated).rejects.toThrow();
  });

  it('does not wait forever for a Postgres that accepts connections but does not respond', async () => {
    const connections = new Set<Socket>();
    const silent = createServer((socket) => connections.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const connectionString = `postgres://postgres@127.0.0.1:${(silent.address() as AddressInfo).port}/postgres`;
    // The server never responds, so each migration must end after its time limit.
    for (const error of await Promise.all(
      [migrate(connectionString, { migrationsDir }), migrateJobs(connectionString)].map((work) =>
        work.catch((reason: unknown) => reason),
      ),
    )) {
      expect(isTransient(error), String(error)).toBe(true);
    }
    for (const socket of connections) socket.destroy();
    silent.close();
  });

  it('ends only when its connections are closed, so that the database can then be dropped', async () => {
    const { port } = new URL(database.connectionString);
    const link = await openTcpLink(Number(port));
    const linked = new URL(database.connectionString);
    linked.port = String(link.port);
    await migrate(linked.href, { migrationsDir });
    expect(link.connections()).toBe(0);
    await link.close();
  });

  it('rejects a database that is being restored, except for the restore itself', async () => {
    await run();
    await select('create table restore_under_way (backup text)');
    await expect(run()).rejects.toThrow('A backup is being restored into this database');
    await migrate(database.connectionString, { migrationsDir, isRestore: true });
    await select('drop table restore_under_way');
    await run();
  });
});
