import {
  account,
  grantRole,
  jobControl,
  listing,
  postAd,
  registerAccount,
  removeAdByAdmin,
  START,
  withdrawRole,
  type EventStore,
} from '@alpenglow/domain';
import {
  createAuditLog,
  createCommandHandler,
  createPool,
  createPostgresEventStore,
  rootByProof,
  verifyAuditLog,
  type AuditLog,
  type CommandHandler,
  type CommandOrigin,
  type Pool,
} from '@alpenglow/infra';
import { AUDIT_CHAIN, runAuditChain } from '@alpenglow/projectors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { keepTrying } from '../support/keep-trying.ts';
import { sampleOf } from '../support/sample.ts';

/** The chain of hashes over every event, the moderation log and its daily roots: what one changed byte does to them. */

let database: TestDatabase;
let pool: Pool;
let store: EventStore;
let log: AuditLog;
let commands: CommandHandler;
let chaining: ReturnType<typeof keepTrying>;

const DAY_ms = 24 * 60 * 60_000;
const NOW_ms = Date.now();
const daysAgo = (days: number) => new Date(NOW_ms - days * DAY_ms).toISOString();
const STAFF: CommandOrigin = { actor: { kind: 'account', accountId: 'staff' }, correlationId: 'test' };
const of = (accountId: string): CommandOrigin => ({ actor: { kind: 'account', accountId }, correlationId: 'test' });

async function liveAndModerate(id: string, days: number): Promise<void> {
  const options = { now: daysAgo(days) };
  const person = {
    accountId: id,
    email: `${id}@example.com`,
    passwordHash: null,
    userType: 'provider' as const,
    displayName: id,
    age: 30,
    isDemo: true,
  };
  await commands.handle(account, id, (state, context) => registerAccount(person, state, context), of(id), options);
  const poster = { accountId: id, isProvider: true, emailVerified: true };
  const fields = {
    name: id,
    title: 'Calm',
    category: 'escort' as const,
    state: 'NV',
    city: 'Reno',
    description: 'Calm.',
    price: null,
    body: null,
    phone: null,
    socialMedia: null,
  };
  const { state } = await commands.handle(
    listing,
    id,
    (slot, context) => postAd({ poster, clientId: null, fields, photos: [], video: null, isDemo: true }, slot, context),
    of(id),
    options,
  );
  await commands.handle(account, id, (now) => grantRole({ role: 'moderator', reason: 'Helps' }, now), STAFF, options);
  await commands.handle(account, id, (now) => withdrawRole('Moved', now), STAFF, options);
  await commands.handle(
    listing,
    id,
    (slot) => removeAdByAdmin(state.ad?.adId ?? '', id, slot, 'Asked for'),
    STAFF,
    options,
  );
}

const chained = async () => {
  const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from es.events');
  await eventually(async () => expect((await log.head()).events).toBe(rows[0]?.count));
};
const verify = () => verifyAuditLog({ store, log });

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool({ connectionString: database.connectionString, max: 6, applicationName: 'test' });
  store = createPostgresEventStore({ pool, connectionString: database.connectionString });
  log = createAuditLog(pool);
  commands = createCommandHandler(store);
  await liveAndModerate('anna', 3);
  chaining = keepTrying((signal) => runAuditChain({ store, log }, signal));
  await liveAndModerate('berta', 2);
  await liveAndModerate('carla', 0);
  await chained();
  await eventually(async () => expect(await log.roots()).toHaveLength(2));
});
afterAll(async () => {
  await chaining?.stop();
  await store?.close();
  await pool?.end();
  await database?.drop();
});

test('the duty has a name', () => expect(AUDIT_CHAIN).toBe('audit-chain'));

test('every event is chained, what staff did is logged, days that are over are sealed', async () => {
  const entries = await log.page({ type: null, actorId: null, before: null, limit: 100 });
  expect(entries.map(({ entry }) => entry.type)).toEqual([
    'AdDeleted',
    'RoleWithdrawn',
    'RoleGranted',
    'AdDeleted',
    'RoleWithdrawn',
    'RoleGranted',
    'AdDeleted',
    'RoleWithdrawn',
    'RoleGranted',
  ]);
  expect(entries.map(({ entry }) => entry.number)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect((await log.roots()).map(({ day, first, last }) => [day, first, last])).toEqual([
    [daysAgo(3).slice(0, 10), 1, 3],
    [daysAgo(2).slice(0, 10), 4, 6],
  ]);
  expect(await verify()).toEqual({ events: (await log.head()).events, entries: 9, days: 2, notChained: 0, faults: [] });
});

test('an entry proves itself against the root of its day; one of today has no proof yet', async () => {
  const [newest] = await log.page({ type: null, actorId: null, before: null, limit: 1 });
  expect(await log.proofOf(newest?.entry.eventId ?? '')).toBeNull();
  for (const { entry, hash } of await log.page({ type: null, actorId: null, before: 7, limit: 10 })) {
    const proof = await log.proofOf(entry.eventId);
    expect(proof && rootByProof(hash, proof.steps).equals(proof.root.root)).toBe(true);
    const other = Buffer.from(hash);
    other.writeUInt8(other.readUInt8(0) ^ 1, 0);
    expect(proof && rootByProof(other, proof.steps).equals(proof.root.root)).toBe(false);
  }
});

test('what is logged is never changed or removed', async () => {
  for (const table of ['event_hashes', 'log_entries', 'daily_roots'])
    await expect(pool.query(`delete from audit.${table}`)).rejects.toThrow('never changed');
});

describe('one changed byte names the place', () => {
  // A duty at work would chain what is moved to the end.
  beforeAll(() => chaining.stop());

  /** Changes a row behind the product's back and verifies, and puts everything back. */
  async function withChange(table: string, assignment: string, where: string): Promise<readonly string[]> {
    await pool.query(`create table public.kept as select * from ${table}`);
    const change = (statement: string) =>
      pool.query(`alter table ${table} disable trigger user; ${statement}; alter table ${table} enable trigger user`);
    try {
      await change(`update ${table} set ${assignment} where ${where}`);
      return (await verify()).faults;
    } finally {
      await change(`delete from ${table}; insert into ${table} select * from public.kept; drop table public.kept`);
    }
  }

  /** Ways to change a value of a type, by little where that is possible. */
  const CHANGES: Readonly<Record<string, (column: string) => readonly string[]>> = {
    bigint: (column) => [`${column} + 1000000`, `${column} - 1000000`],
    integer: (column) => [`${column} + 1000000`, `${column} - 1000000`],
    smallint: (column) => [`${column} + 1`, `${column} - 1`],
    date: (column) => [`${column} + 100`, `${column} - 100`],
    uuid: (column) => [`overlay(${column}::text placing '00' from 1)::uuid`],
    text: (column) => [`left(${column}, -1) || '~'`, `${column} || '~'`],
    ARRAY: (column) => [`array_replace(${column}, ${column}[1], left(${column}[1], -1) || '~')`],
    bytea: (column) => [
      `set_byte(${column}, 0, get_byte(${column}, 0) # 1)`,
      `set_byte(${column}, octet_length(${column}) - 1, get_byte(${column}, octet_length(${column}) - 1) # 1)`,
    ],
    json: (column) => [
      `regexp_replace(${column}::text, '":"[^"]', '":"~')::json`,
      `regexp_replace(${column}::text, '^[{]"[^"]', '{"~')::json`,
    ],
  };
  /** What people of the staff have read is derived from nothing. */
  const NOT_CHAINED = ['staff_reads'];
  const PLACES: Readonly<Record<string, RegExp>> = {
    'es.events': /^(?:the hash of )?event \S+ \(|the event at position \d+ is missing/u,
    'audit.event_hashes': /event \S+ \(|the event at position|the hashes of events (?:from )?\d/u,
    'audit.log_entries': /entry \d+ of the moderation log/u,
    'audit.daily_roots': /root of \d{4}-\d\d-\d\d/u,
  };

  test('of whichever column of whichever table, in its first row and its last', async () => {
    const { rows: columns } = await pool.query<{
      table: string;
      column: string;
      type: string;
      key: string;
      isNullable: boolean;
    }>(
      `select c.table_schema || '.' || c.table_name as table, c.column_name as column, c.data_type as type, k.column_name as key, c.is_nullable = 'YES' as "isNullable"
       from information_schema.columns c join information_schema.columns k on k.table_schema = c.table_schema and k.table_name = c.table_name and k.ordinal_position = 1
       where (c.table_schema = 'audit' and c.table_name <> all($1)) or (c.table_schema = 'es' and c.table_name = 'events') order by 1, c.ordinal_position`,
      [NOT_CHAINED],
    );
    expect([...new Set(columns.map(({ table }) => table))]).toEqual(Object.keys(PLACES).toSorted());
    const unnoticed: string[] = [];
    for (const { table, column, type, key, isNullable } of sampleOf(columns, 6)) {
      const changes = CHANGES[type]?.(column);
      if (!changes) throw new Error(`How to change ${table}.${column}, of type ${type}, is not told here`);
      for (const changed of [...changes, ...(isNullable ? ['null'] : [])]) {
        for (const order of ['asc', 'desc']) {
          const faults = await withChange(
            table,
            `${column} = ${changed}`,
            `ctid = (select ctid from ${table} order by ${key} ${order} limit 1)`,
          );
          if (!faults.some((fault) => PLACES[table]?.test(fault)))
            unnoticed.push(`${table}: ${column} = ${changed} (${order}): ${faults.join('; ')}`);
        }
      }
    }
    expect(unnoticed).toEqual([]);
  });
  test.each([
    ['number', 'number = number + 1'],
    ['eventId', `event_id = '00000000-0000-4000-8000-000000000000'`],
    ['day', 'day = day + 1'],
    ['type', `type = 'RoleGrantee'`],
    ['actorId', `actor_id = 'x'`],
    ['entry', `entry = (entry::text || ' ')::json`],
  ])('of the row of an entry that is not in a root yet: %s', async (name, assignment) => {
    const faults = await withChange('audit.log_entries', assignment, 'number = 9');
    expect(faults).toContainEqual(
      expect.stringMatching(new RegExp(`^entry \\d+ of the moderation log .*: its row was changed \\(${name}\\)`, 'u')),
    );
  });
  test('of the number of the first hashes: they are not passed over', async () => {
    for (const first of [0, -1])
      expect((await withChange('audit.event_hashes', `first = ${first}`, 'first = 1'))[0]).toBe(
        `the hashes of events from 1 on are numbered from ${first} on`,
      );
  });

  const nth = (n: number) => `position = (select position from es.events order by position offset ${n} limit 1)`;
  const nameOf = async (n: number) =>
    (await pool.query<{ id: string }>('select id from es.events order by position offset $1 limit 1', [n])).rows[0]
      ?.id ?? '';

  test.each([
    ['a letter of its data', `data = replace(data::text, 'anna', 'anma')::json`],
    ['its type', `type = 'AccountRegisterec'`],
    ['its version', 'version = version + 1'],
    ['who did it', `meta = replace(meta::text, '"accountId":"', '"accountId":"x')::json`],
    ['when it was', `meta = replace(meta::text, '"at":"2', '"at":"1')::json`],
    ['its stream', `stream = stream || 'a'`],
    ['its revision', 'revision = revision + 100'],
    ['its id', `id = '00000000-0000-4000-8000-000000000000'`],
  ])('of an event: %s', async (_what, assignment) => {
    const id = await nameOf(0);
    const faults = await withChange('es.events', assignment, nth(0));
    expect(faults.length).toBeGreaterThan(0);
    expect(faults[0]).toContain(assignment.startsWith('id') ? '00000000-0000-4000-8000-000000000000' : id);
  });
  test('of the last event', async () => {
    const { events } = await log.head();
    const faults = await withChange('es.events', `data = replace(data::text, 'carla', 'carlb')::json`, nth(events - 1));
    expect(faults[0]).toContain(await nameOf(events - 1));
  });
  test('an event that is gone, and one that was put in', async () => {
    const position =
      (
        await pool.query<{ position: string }>(
          'select e.position::text as position from es.events e order by e.position offset 4 limit 1',
        )
      ).rows[0]?.position ?? '';
    const faults = await withChange('es.events', `position = position + 1000000`, nth(4));
    expect(faults).toContainEqual(
      expect.stringMatching(new RegExp(`the event at position 0*${position} is missing`, 'u')),
    );
  });
  test('of a hash', async () => {
    const faults = await withChange(
      'audit.event_hashes',
      'hashes = set_byte(hashes, 3, (get_byte(hashes, 3) + 1) % 256)',
      'first = 1',
    );
    expect(faults).toEqual([expect.stringContaining(`the hash of event ${await nameOf(0)}`)]);
  });
  test('of an entry of the log', async () => {
    const faults = await withChange(
      'audit.log_entries',
      `entry = replace(entry::text, 'moderator', 'moderatos')::json`,
      'number = 4',
    );
    expect(faults.some((fault) => fault.includes('entry 4 of the moderation log'))).toBe(true);
  });
  test('of the hash of an entry', async () => {
    const faults = await withChange(
      'audit.log_entries',
      'hash = set_byte(hash, 0, (get_byte(hash, 0) + 1) % 256)',
      'number = 5',
    );
    expect(faults.some((fault) => fault.includes('entry 5 of the moderation log'))).toBe(true);
  });
  test('of a daily root, and of its hash', async () => {
    const day = daysAgo(3).slice(0, 10);
    expect(
      (
        await withChange(
          'audit.daily_roots',
          'root = set_byte(root, 31, (get_byte(root, 31) + 1) % 256)',
          `day = '${day}'`,
        )
      )[0],
    ).toContain(`the root of ${day}`);
    expect(
      (
        await withChange(
          'audit.daily_roots',
          'hash = set_byte(hash, 31, (get_byte(hash, 31) + 1) % 256)',
          `day = '${day}'`,
        )
      )[0],
    ).toContain(`the hash of the root of ${day}`);
  });
  test('and none remains when all is as it was', async () => expect((await verify()).faults).toEqual([]));
});

test('what admins do to jobs is logged; a store that has such events of an earlier build stays in order', async () => {
  const stream = 'jobs-video-probe';
  const job = { kind: 'video-probe', jobId: 'job-1' };
  // As an earlier build kept them.
  const older = ['JobRetried', 'JobRemoved', 'DeadJobsRetried'].map((type) => ({
    id: crypto.randomUUID(),
    type,
    version: 1,
    data: job,
    meta: { actor: STAFF.actor, correlationId: 'test', causationId: null, at: daysAgo(0) },
  }));
  await store.append(stream, older, { expectedRevision: 'any' });
  const newer = [
    { type: 'JobRetried', data: job },
    { type: 'JobRemoved', data: job },
    { type: 'DeadJobsRetried', data: { kind: job.kind } },
  ] as const;
  await commands.handle(jobControl, 'video-probe', () => newer, STAFF);
  const head = await log.head();
  await log.append(head, await store.readAll({ after: head.position, limit: 100 }));
  const entries = (await log.page({ type: null, actorId: 'staff', before: null, limit: 100 })).filter(
    ({ entry }) => entry.stream === stream,
  );
  expect(entries.map(({ entry }) => [entry.type, entry.revision, entry.facts])).toEqual(
    [...newer.entries()].map(([index, { type, data }]) => [type, older.length + index, data]).toReversed(),
  );
  expect(await verify()).toMatchObject({ notChained: 0, faults: [] });
});

test('what happens while it is verified is no fault', async () => {
  let people = 0;
  const goOn = async () => {
    people += 1;
    await liveAndModerate(`later${people}`, 0);
    const head = await log.head();
    await log.append(head, await store.readAll({ after: head.position, limit: 100 }));
  };
  // Its first page of events is read before its first hash, and its last hash before its first entry.
  const busy: AuditLog = {
    ...log,
    async *blocks() {
      await goOn();
      yield* log.blocks();
    },
    async *entries() {
      await goOn();
      yield* log.entries();
    },
  };
  expect(await verifyAuditLog({ store, log: busy })).toMatchObject({ faults: [] });
  expect(people).toBe(2);
  expect(await verify()).toMatchObject({ events: (await log.head()).events, notChained: 0, faults: [] });
});

test('two that chain at once: one is refused, nothing is chained twice', async () => {
  const head = await log.head();
  const events = await store.readAll({ after: START, limit: 1 });
  await expect(log.append({ ...head, events: 0 }, events)).rejects.toThrow();
  expect((await log.head()).events).toBe(head.events);
});
