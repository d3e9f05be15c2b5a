import { account, jobControl, listing, START_POSITION, type EventStore, toStreamId } from '@alpenglow/domain';
import { grantRole, postAd, registerAccount, removeAdByAdmin, withdrawRole } from '@alpenglow/domain/deciders';
import {
  createAuditLog,
  createCommandHandler,
  createPool,
  createPostgresEventStore,
  verifyAuditLog,
  type AuditLog,
  type CommandHandler,
  type CommandOrigin,
  type Pool,
} from '@alpenglow/infra';
import { AUDIT_CHAIN_DUTY, runAuditChain } from '@alpenglow/projectors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AD_FIELDS } from '../../domain/test/listing/posted-ad.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { rootFromProof } from '../support/root-from-proof.ts';
import { runWithRetries } from '../support/run-with-retries.ts';
import { sampleOf } from '../support/sample.ts';

// Tests the hash chain over all events, the moderation log and the daily hashes of this log. The verification must
// detect every changed byte.

let database: TestDatabase;
let pool: Pool;
let store: EventStore;
let log: AuditLog;
let commands: CommandHandler;
let chaining: ReturnType<typeof runWithRetries>;

const DAY_ms = 24 * 60 * 60_000;
const NOW_ms = Date.now();
const daysAgo = (days: number) => new Date(NOW_ms - days * DAY_ms).toISOString();
const STAFF: CommandOrigin = { actor: { kind: 'account', accountId: 'staff' }, correlationId: 'test' };
const originOf = (accountId: string): CommandOrigin => ({
  actor: { kind: 'account', accountId },
  correlationId: 'test',
});

async function createModeratedAccount(id: string, days: number): Promise<void> {
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
  await commands.execute(account, id, registerAccount, person, originOf(id), options);
  const poster = { accountId: id, isProvider: true, emailVerified: true };
  const fields = { ...AD_FIELDS, name: id };
  const { state } = await commands.execute(
    listing,
    id,
    postAd,
    { poster, clientId: null, fields, photos: [], video: null, isDemo: true },
    originOf(id),
    options,
  );
  await commands.execute(account, id, grantRole, { role: 'moderator', reason: 'Helps' }, STAFF, options);
  await commands.execute(account, id, withdrawRole, { reason: 'Moved' }, STAFF, options);
  await commands.execute(
    listing,
    id,
    removeAdByAdmin,
    { adId: state.ad?.adId ?? '', accountId: id, reason: 'Requested' },
    STAFF,
    options,
  );
}

const waitForChain = async () => {
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
  await createModeratedAccount('anna', 3);
  await createModeratedAccount('berta', 2);
  // The start seals the past days, so it needs all of their events.
  chaining = runWithRetries((signal) => runAuditChain({ store, log }, signal));
  await createModeratedAccount('carla', 0);
  await waitForChain();
  await eventually(async () => expect(await log.readRoots()).toHaveLength(2));
});
afterAll(async () => {
  await chaining?.stop();
  await store?.close();
  await pool?.end();
  await database?.drop();
});

test('the name of the duty is audit-chain', () => expect(AUDIT_CHAIN_DUTY).toBe('audit-chain'));

test('chains every event, logs every action of staff and creates a root for each past day', async () => {
  const entries = await log.listEntries({ type: null, actorId: null, before: null, limit: 100 });
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
  expect((await log.readRoots()).map(({ day, first, last }) => [day, first, last])).toEqual([
    [daysAgo(3).slice(0, 10), 1, 3],
    [daysAgo(2).slice(0, 10), 4, 6],
  ]);
  expect(await verify()).toEqual({
    events: (await log.head()).events,
    entries: 9,
    days: 2,
    segments: [],
    notChained: 0,
    problems: [],
  });
});

test('proves an entry with the root of its day and has no proof for an entry of today', async () => {
  const [newest] = await log.listEntries({ type: null, actorId: null, before: null, limit: 1 });
  expect(await log.findProof(newest?.entry.eventId ?? '')).toBeNull();
  for (const { entry, hash } of await log.listEntries({ type: null, actorId: null, before: 7, limit: 10 })) {
    const proof = await log.findProof(entry.eventId);
    expect(proof && rootFromProof(hash, proof.steps).equals(proof.root.root)).toBe(true);
    const other = Buffer.from(hash);
    other.writeUInt8(other.readUInt8(0) ^ 1, 0);
    expect(proof && rootFromProof(other, proof.steps).equals(proof.root.root)).toBe(false);
  }
});

test('prevents changes and removals of the log', async () => {
  for (const table of ['event_hashes', 'log_entries', 'daily_roots'])
    await expect(pool.query(`delete from audit.${table}`)).rejects.toThrow('never changed');
});

describe('verification reports a change', () => {
  // Stops the background task that adds new events to the hash chain, because a test moves events to the end of the
  // log.
  beforeAll(() => chaining.stop());

  /**
   * Changes rows directly in the database and verifies the log. Returns the reported errors and restores the
   * rows.
   */
  async function withChange(table: string, assignment: string, where: string): Promise<readonly string[]> {
    await pool.query(`create table public.saved as select * from ${table}`);
    const change = (statement: string) =>
      pool.query(`alter table ${table} disable trigger user; ${statement}; alter table ${table} enable trigger user`);
    try {
      await change(`update ${table} set ${assignment} where ${where}`);
      return (await verify()).problems;
    } finally {
      await change(`delete from ${table}; insert into ${table} select * from public.saved; drop table public.saved`);
    }
  }

  /** SQL expressions that change a value, by column type. They change only a single byte if possible. */
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
  /**
   * Tables that are not part of the hash chain. The chain contains only events, and reads by staff write no events.
   * `audit-segments.test.ts` changes the segments.
   */
  const NOT_CHAINED = [
    'staff_reads',
    'log_rewinds',
    'lost_event_hashes',
    'lost_log_entries',
    'chain_segments',
    'chain_starts',
  ];
  const MESSAGES: Readonly<Record<string, RegExp>> = {
    'es.events': /^(?:the hash of )?event \S+ \(|the event at position \d+ is missing/u,
    'audit.event_hashes': /event \S+ \(|the event at position|the hashes of events (?:from )?\d/u,
    'audit.log_entries': /entry \d+ of the moderation log/u,
    'audit.daily_roots': /root of \d{4}-\d\d-\d\d/u,
  };

  test('of any column of any table, in the first and in the last row', async () => {
    const { rows: columns } = await pool.query<{
      table: string;
      column: string;
      type: string;
      key: string;
      isNullable: boolean;
    }>(
      `select c.table_schema || '.' || c.table_name as table, c.column_name as column, c.data_type as type,
              k.column_name as key, c.is_nullable = 'YES' as "isNullable"
         from information_schema.columns c
         join information_schema.columns k
           on k.table_schema = c.table_schema and k.table_name = c.table_name and k.ordinal_position = 1
        where (c.table_schema = 'audit' and c.table_name <> all($1))
           or (c.table_schema = 'es' and c.table_name = 'events')
        order by 1, c.ordinal_position`,
      [NOT_CHAINED],
    );
    expect([...new Set(columns.map(({ table }) => table))]).toEqual(Object.keys(MESSAGES).toSorted());
    const undetected: string[] = [];
    for (const { table, column, type, key, isNullable } of sampleOf(columns, 6)) {
      const changes = CHANGES[type]?.(column);
      if (!changes) throw new Error(`CHANGES has no expression for ${table}.${column} of type ${type}`);
      for (const changed of [...changes, ...(isNullable ? ['null'] : [])]) {
        for (const order of ['asc', 'desc']) {
          const problems = await withChange(
            table,
            `${column} = ${changed}`,
            `ctid = (select ctid from ${table} order by ${key} ${order} limit 1)`,
          );
          if (!problems.some((message) => MESSAGES[table]?.test(message)))
            undetected.push(`${table}: ${column} = ${changed} (${order}): ${problems.join('; ')}`);
        }
      }
    }
    expect(undetected).toEqual([]);
  });
  test.each([
    ['number', 'number = number + 1'],
    ['eventId', `event_id = '00000000-0000-4000-8000-000000000000'`],
    ['day', 'day = day + 1'],
    ['type', `type = 'RoleGrantee'`],
    ['actorId', `actor_id = 'x'`],
    ['entry', `entry = (entry::text || ' ')::json`],
  ])('of the column %s of an entry without a root', async (name, assignment) => {
    const problems = await withChange('audit.log_entries', assignment, 'number = 9');
    expect(problems).toContainEqual(
      expect.stringMatching(new RegExp(`^entry \\d+ of the moderation log .*: its row was changed \\(${name}\\)`, 'u')),
    );
  });
  test('of the number of the first hashes', async () => {
    for (const first of [0, -1])
      expect((await withChange('audit.event_hashes', `first = ${first}`, 'first = 1'))[0]).toBe(
        `the hashes of events from 1 on are numbered from ${first} on`,
      );
  });

  const nthEventCondition = (n: number) =>
    `position = (select position from es.events order by position offset ${n} limit 1)`;
  const idOfEvent = async (n: number) =>
    (await pool.query<{ id: string }>('select id from es.events order by position offset $1 limit 1', [n])).rows[0]
      ?.id ?? '';

  test.each([
    ['a letter of its data', `data = replace(data::text, 'anna', 'anma')::json`],
    ['its type', `type = 'AccountRegisterec'`],
    ['its version', 'version = version + 1'],
    ['its actor', `meta = replace(meta::text, '"accountId":"', '"accountId":"x')::json`],
    ['its time', `meta = replace(meta::text, '"at":"2', '"at":"1')::json`],
    ['its stream', `stream = stream || 'a'`],
    ['its revision', 'revision = revision + 100'],
    ['its id', `id = '00000000-0000-4000-8000-000000000000'`],
  ])('of the first event: %s', async (_what, assignment) => {
    const id = await idOfEvent(0);
    const problems = await withChange('es.events', assignment, nthEventCondition(0));
    expect(problems.length).toBeGreaterThan(0);
    expect(problems[0]).toContain(assignment.startsWith('id') ? '00000000-0000-4000-8000-000000000000' : id);
  });
  test('of the data of the last event', async () => {
    const { events } = await log.head();
    const problems = await withChange(
      'es.events',
      `data = replace(data::text, 'carla', 'carlb')::json`,
      nthEventCondition(events - 1),
    );
    expect(problems[0]).toContain(await idOfEvent(events - 1));
  });
  test('of an event that was removed or inserted', async () => {
    const position =
      (
        await pool.query<{ position: string }>(
          'select e.position::text as position from es.events e order by e.position offset 4 limit 1',
        )
      ).rows[0]?.position ?? '';
    const problems = await withChange('es.events', `position = position + 1000000`, nthEventCondition(4));
    expect(problems).toContainEqual(
      expect.stringMatching(new RegExp(`the event at position 0*${position} is missing`, 'u')),
    );
  });
  test('of the hash of an event', async () => {
    const problems = await withChange(
      'audit.event_hashes',
      'hashes = set_byte(hashes, 3, (get_byte(hashes, 3) + 1) % 256)',
      'first = 1',
    );
    expect(problems).toEqual([expect.stringContaining(`the hash of event ${await idOfEvent(0)}`)]);
  });
  test('of the content of a log entry', async () => {
    const problems = await withChange(
      'audit.log_entries',
      `entry = replace(entry::text, 'moderator', 'moderatos')::json`,
      'number = 4',
    );
    expect(problems.some((message) => message.includes('entry 4 of the moderation log'))).toBe(true);
  });
  test('of the hash of a log entry', async () => {
    const problems = await withChange(
      'audit.log_entries',
      'hash = set_byte(hash, 0, (get_byte(hash, 0) + 1) % 256)',
      'number = 5',
    );
    expect(problems.some((message) => message.includes('entry 5 of the moderation log'))).toBe(true);
  });
  test('of a daily root and of its hash', async () => {
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
  test('only until the rows are restored', async () => expect((await verify()).problems).toEqual([]));
});

test('logs job actions of admins, even after job events of an earlier version', async () => {
  const stream = toStreamId(jobControl, 'video-probe');
  const job = { kind: 'video-probe', jobId: 'job-1' };
  // An earlier version of the product wrote version 1 of these events. The moderation log contains entries only for
  // later versions.
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
  const entries = (await log.listEntries({ type: null, actorId: 'staff', before: null, limit: 100 })).filter(
    ({ entry }) => entry.stream === stream,
  );
  expect(entries.map(({ entry }) => [entry.type, entry.revision, entry.facts])).toEqual(
    [...newer.entries()].map(([index, { type, data }]) => [type, older.length + index, data]).toReversed(),
  );
  expect(await verify()).toMatchObject({ notChained: 0, problems: [] });
});

test('reports no errors for events that are appended during verification', async () => {
  let people = 0;
  const appendMore = async () => {
    people += 1;
    await createModeratedAccount(`later${people}`, 0);
    const head = await log.head();
    await log.append(head, await store.readAll({ after: head.position, limit: 100 }));
  };
  // Appends events at two times during a verification: after the verification has read events, and before it reads the
  // log entries.
  const busy: AuditLog = {
    ...log,
    async *readBlocks() {
      await appendMore();
      yield* log.readBlocks();
    },
    async *readEntries() {
      await appendMore();
      yield* log.readEntries();
    },
  };
  expect(await verifyAuditLog({ store, log: busy })).toMatchObject({ problems: [] });
  expect(people).toBe(2);
  expect(await verify()).toMatchObject({ events: (await log.head()).events, notChained: 0, problems: [] });
});

test('rejects an append to an outdated head, so no event is chained twice', async () => {
  const head = await log.head();
  const events = await store.readAll({ after: START_POSITION, limit: 1 });
  await expect(log.append({ ...head, events: 0 }, events)).rejects.toThrow();
  expect((await log.head()).events).toBe(head.events);
});
