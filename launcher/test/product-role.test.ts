import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate, migrateJobs, withClient } from '@alpenglow/infra';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findRunningPostgres, startEmbeddedPostgres, type EmbeddedPostgres } from '../postgres/index.ts';

/** Tests the role with which the product uses the embedded Postgres. */

const MIGRATIONS_DIR = path.resolve(import.meta.dirname, '../../infra/migrations');

let dataDir: string;
let homes: Set<string>;
beforeEach(async () => {
  dataDir = await realpath(await mkdtemp(path.join(tmpdir(), 'alpenglow-role-')));
  homes = new Set();
});
afterEach(async () => {
  for (const folder of [...homes, dataDir]) await rm(folder, { recursive: true, force: true });
});

async function withPostgres<T>(work: (postgres: EmbeddedPostgres) => Promise<T>): Promise<T> {
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  homes.add(path.dirname(postgres.clusterDir));
  try {
    return await work(postgres);
  } finally {
    await postgres.stop();
  }
}

const select = (connectionString: string, text: string) =>
  withClient(
    { connectionString, applicationName: 'test' },
    async (client) => (await client.query<Record<string, unknown>>(text)).rows,
  );

/** The objects of the database that belong to a superuser, apart from those of Postgres and of extensions. */
const OWNED_BY_SUPERUSERS = `
  with superusers as (select oid from pg_roles where rolsuper),
  objects as (
    select 'pg_class'::regclass as class, oid, relname::text as name, relowner as owner, relnamespace as namespace
      from pg_class
    union all select 'pg_proc'::regclass, oid, proname::text, proowner, pronamespace from pg_proc
    union all select 'pg_type'::regclass, oid, typname::text, typowner, typnamespace from pg_type
    union all select 'pg_namespace'::regclass, oid, nspname::text, nspowner, oid from pg_namespace)
  select o.name from objects o join pg_namespace n on n.oid = o.namespace
   where o.owner in (select oid from superusers)
     and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
     and not exists (select from pg_depend d where d.classid = o.class and d.objid = o.oid and d.deptype = 'e')
     and not exists (select from pg_type a join pg_type e on e.oid = a.typelem join pg_depend d
                        on d.classid = 'pg_type'::regclass and d.objid = e.oid and d.deptype = 'e' where a.oid = o.oid)
  union all
  select datname from pg_database where datname = current_database() and datdba in (select oid from superusers)`;

async function migrateAs(connectionString: string): Promise<void> {
  await migrate(connectionString, { migrationsDir: MIGRATIONS_DIR });
  await migrateJobs(connectionString);
}

test('the role of the product owns its database, and has no other rights', async () => {
  await withPostgres(async ({ connectionString }) => {
    expect(await findRunningPostgres(dataDir)).toBe(connectionString);
    await migrateAs(connectionString);
    expect(
      await select(
        connectionString,
        `select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
                (select count(*)::integer from pg_auth_members m where m.member = r.oid) as memberships
           from pg_roles r where rolname = current_user`,
      ),
    ).toEqual([
      {
        rolsuper: false,
        rolcreatedb: false,
        rolcreaterole: false,
        rolreplication: false,
        rolbypassrls: false,
        memberships: 0,
      },
    ]);
    for (const forbidden of [
      `copy (select 1) to program 'true'`,
      `select pg_read_file('PG_VERSION')`,
      'alter system set work_mem = 1024',
      'create role another',
      'select rolpassword from pg_authid',
    ])
      await expect(select(connectionString, forbidden)).rejects.toThrow(/permission denied/u);
  });
});

test('the data folder of an earlier release gets the role, and the next start changes nothing', async () => {
  // An earlier release has created all objects as the superuser, and has recorded only its password.
  await withPostgres(async ({ superuserUrl }) => {
    await select(superuserUrl, `drop owned by alpenglow_product; alter database alpenglow owner to alpenglow`);
    await select(superuserUrl, 'drop role alpenglow_product');
    await migrateAs(superuserUrl);
    await select(
      superuserUrl,
      `create type public.mood as enum ('calm'); create view public.moods as select 'calm'::public.mood as mood`,
    );
  });
  const recordFile = path.join(dataDir, 'postgres.json');
  const { productPassword: _, ...record } = JSON.parse(await readFile(recordFile, 'utf8')) as Record<string, unknown>;
  await writeFile(recordFile, JSON.stringify(record));

  const catalogs = `select oid, xmin::text from pg_authid union all select oid, xmin::text from pg_class
                    union all select oid, xmin::text from pg_proc union all select oid, xmin::text from pg_database
                    order by 1, 2`;
  const afterFirst = await withPostgres(async ({ connectionString, superuserUrl }) => {
    expect(await select(connectionString, OWNED_BY_SUPERUSERS)).toEqual([]);
    await migrateAs(connectionString);
    await select(
      connectionString,
      `insert into jobs.unfinished (kind, job_id, payload, check_at) values ('a', 'b', '{}', now())`,
    );
    await select(connectionString, 'drop view public.moods; drop type public.mood; drop schema bullmq cascade');
    return select(superuserUrl, catalogs);
  });
  await withPostgres(async ({ connectionString, superuserUrl }) => {
    expect(await select(connectionString, 'select job_id from jobs.unfinished')).toEqual([{ job_id: 'b' }]);
    expect(await select(superuserUrl, catalogs)).toEqual(afterFirst);
  });
});

test('a start that was interrupted before the role had its password is completed by the next one', async () => {
  await withPostgres(({ superuserUrl }) =>
    select(superuserUrl, 'drop owned by alpenglow_product').then(() => undefined),
  );
  const recordFile = path.join(dataDir, 'postgres.json');
  const { productPassword: _, ...record } = JSON.parse(await readFile(recordFile, 'utf8')) as Record<string, unknown>;
  await writeFile(recordFile, JSON.stringify({ ...record, note: randomBytes(4).toString('hex') }));
  await withPostgres(async ({ connectionString }) => {
    expect(await select(connectionString, 'select current_user')).toEqual([{ current_user: 'alpenglow_product' }]);
  });
});
