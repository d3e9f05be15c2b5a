import {
  createAuditLog,
  eventHash,
  NO_HASH,
  segmentStartHash,
  verifyAuditLog,
  type AuditLog,
  type Pool,
} from '@alpenglow/infra';
import { START_POSITION, type EventStore, type Position, type RecordedEvent } from '@alpenglow/domain';
import { runAuditChain } from '@alpenglow/projectors';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { report } from '../../launcher/tools/audit.ts';
import { createMigratedDatabase, createTestPool, type TestDatabase } from '../support/database.ts';
import { anEvent, uniqueName } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { runWithRetries } from '../support/run-with-retries.ts';

// Tests that the audit chain of a log that was replaced by an older state begins a new segment (decision 0115).

let database: TestDatabase;
let pool: Pool;
let log: AuditLog;
let store: ReturnType<typeof createMemoryEventStore>;
let chaining: ReturnType<typeof runWithRetries> | null = null;

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createTestPool(database.connectionString, 6);
  log = createAuditLog(pool);
  store = createMemoryEventStore();
});
afterEach(async () => {
  await chaining?.stop();
  chaining = null;
  await store.close();
  await pool.end();
  await database.drop();
});

async function append(count: number, to: EventStore = store): Promise<Position[]> {
  const positions: Position[] = [];
  for (let number = 0; number < count; number += 1) {
    // The moderation log has no entry for this type, so no root of a past day contains it.
    const event = anEvent({ type: 'AdFavorited', data: { accountId: 'a', adId: String(number) } });
    positions.push((await to.append(uniqueName('s'), [event], { expectedRevision: 'no-stream' })).position);
  }
  return positions;
}
function start(): void {
  chaining = runWithRetries((signal) => runAuditChain({ store, log }, signal));
}
async function waitForChain(events: number): Promise<void> {
  const head = await store.readHead();
  await eventually(async () => expect(await log.head()).toMatchObject({ events, position: head }));
}
async function restoreTo(position: Position): Promise<void> {
  await chaining?.stop();
  store.rewindTo(position);
  start();
}
const verify = () => verifyAuditLog({ store, log });

test('names the end of the chain that the log has lost, and verifies', async () => {
  const positions = await append(5);
  start();
  await waitForChain(5);
  const before = await log.head();
  expect(await log.readSegments()).toEqual([]);

  await restoreTo(positions[2] as Position);
  await append(3);
  await waitForChain(6);
  const [segment, ...others] = await log.readSegments();
  expect(others).toEqual([]);
  expect(segment).toMatchObject({
    number: 2,
    first: 4,
    previousLast: 5,
    commonPosition: positions[2],
    lostEvents: 2,
    isCurrent: true,
  });
  expect(segment?.previousHash).toEqual(before.hash);
  expect(await verify()).toMatchObject({ events: 6, problems: [], segments: [{ number: 2 }] });
});

test('begins also before the first event after a restore, and again after the next one', async () => {
  const positions = await append(6);
  start();
  await waitForChain(6);
  await restoreTo(positions[4] as Position);
  await eventually(async () => expect(await log.readSegments()).toHaveLength(1));
  // The segment has no event yet. The next restore loses events of the first segment, so it replaces this one.
  await restoreTo(positions[1] as Position);
  await eventually(async () => expect(await log.readSegments()).toHaveLength(2));
  await append(5);
  await waitForChain(7);
  const segments = await log.readSegments();
  expect(segments.map(({ number, first, isCurrent }) => [number, first, isCurrent])).toEqual([
    [2, 6, false],
    [3, 3, true],
  ]);
  expect(segments[1]?.previousHash).toEqual(segments[0]?.startHash);
  expect(await verify()).toMatchObject({ events: 7, problems: [] });
  // A start finds the end of the chain across the segments, and loses nothing.
  await chaining?.stop();
  start();
  await append(1);
  await waitForChain(8);
  expect(await log.readSegments()).toHaveLength(2);
});

test('is checked: neither its start nor the hash that it names can be changed', async () => {
  const positions = await append(3);
  start();
  await waitForChain(3);
  await restoreTo(positions[1] as Position);
  await eventually(async () => expect(await log.readSegments()).toHaveLength(1));
  await append(1);
  await waitForChain(3);
  await chaining?.stop();
  const change = (column: string) =>
    pool.query(
      `alter table audit.chain_segments disable trigger user;
       update audit.chain_segments set ${column} = decode('${NO_HASH.toString('hex')}', 'hex');
       alter table audit.chain_segments enable trigger user`,
    );
  await expect(pool.query('update audit.chain_segments set first = 1')).rejects.toThrow('never changed');
  await change('previous_hash');
  expect((await verify()).problems).toEqual([
    'the start of segment 2 of the audit chain was changed',
    'segment 2 of the audit chain does not name the end of the segment before it',
  ]);
  await pool.query(
    `alter table audit.chain_segments disable trigger user;
     update audit.chain_segments set previous_last = 9;
     alter table audit.chain_segments enable trigger user`,
  );
  expect((await verify()).problems).toContain(
    'segment 2 of the audit chain does not begin after the lost events of the segment before it',
  );
  await change('start_hash');
  expect((await verify()).problems).toContainEqual(expect.stringContaining('or its hash, was changed'));
});

/** Changes rows of the audit log as an administrator of the database could. */
async function tamper(table: string, change: string): Promise<void> {
  await pool.query(`alter table ${table} disable trigger user; ${change}; alter table ${table} enable trigger user`);
}

test('needs the hashes of the lost events, and consecutive numbers', async () => {
  const positions = await append(4);
  start();
  await waitForChain(4);
  await restoreTo(positions[2] as Position);
  await eventually(async () => expect(await log.readSegments()).toHaveLength(1));
  await restoreTo(positions[1] as Position);
  await eventually(async () => expect(await log.readSegments()).toHaveLength(2));
  await append(2);
  await waitForChain(4);
  await chaining?.stop();
  expect((await verify()).problems).toEqual([]);
  await tamper('audit.lost_event_hashes', 'delete from audit.lost_event_hashes where incarnation = 1');
  expect((await verify()).problems).toEqual([
    'the hashes of the 1 lost events before segment 2 of the audit chain are missing',
  ]);
  await tamper('audit.chain_segments', 'delete from audit.chain_segments where number = 2');
  expect((await verify()).problems).toContain('segment 2 of the audit chain is missing');
});

/** Begins a segment after the last chained event, without a loss. */
async function beginSegmentWithoutLoss(): Promise<void> {
  await log.setLostEventsAside(store, { isRewound: true });
}

test('without a loss names the last event before it, until the chain is computed again', async () => {
  await append(3);
  start();
  await waitForChain(3);
  await chaining?.stop();
  await beginSegmentWithoutLoss();
  await beginSegmentWithoutLoss();
  await append(2);
  start();
  await waitForChain(5);
  expect(await verify()).toMatchObject({ events: 5, problems: [], segments: [{ lostEvents: 0 }, { lostEvents: 0 }] });
  await chaining?.stop();
  // A segment that names another event, with a start hash that fits to it.
  const [, segment] = await log.readSegments();
  const other = Buffer.alloc(32, 7);
  await tamper(
    'audit.chain_segments',
    `update audit.chain_segments set previous_hash = decode('${other.toString('hex')}', 'hex'),
            start_hash = decode('${segmentStartHash(2, other).toString('hex')}', 'hex') where number = 2`,
  );
  expect((await verify()).problems).toContain(
    'segment 2 of the audit chain does not name the end of the segment before it',
  );
  await tamper(
    'audit.chain_segments',
    `update audit.chain_segments set previous_hash = decode('${NO_HASH.toString('hex')}', 'hex'),
            start_hash = decode('${segmentStartHash(2, NO_HASH).toString('hex')}', 'hex') where number = 2;
     update audit.chain_segments set previous_hash = decode('${segmentStartHash(2, NO_HASH).toString('hex')}', 'hex'),
            start_hash = decode('${segmentStartHash(3, segmentStartHash(2, NO_HASH)).toString('hex')}', 'hex')
      where number = 3`,
  );
  expect(segment?.number).toBe(3);
  // A move to another store and a restore delete all hashes, and the product computes them again.
  await tamper('audit.event_hashes', 'delete from audit.event_hashes');
  start();
  await waitForChain(5);
  expect((await verify()).problems).toEqual([]);
});

test('contains the events before it: they cannot be rewritten with new hashes', async () => {
  const positions = await append(4);
  start();
  await waitForChain(4);
  await restoreTo(positions[2] as Position);
  await eventually(async () => expect(await log.readSegments()).toHaveLength(1));
  await append(1);
  await waitForChain(4);
  await chaining?.stop();
  expect((await verify()).problems).toEqual([]);
  // The events before the segment get the hashes of other events. The hashes are a valid chain up to the segment.
  const rewrite = (event: RecordedEvent): RecordedEvent =>
    event.position <= (positions[2] as Position) ? { ...event, data: { rewritten: true } } : event;
  const rewritten: EventStore = { ...store, readAll: async (page) => (await store.readAll(page)).map(rewrite) };
  const events = await rewritten.readAll({ after: START_POSITION });
  const hashes: Buffer[] = [];
  for (const event of events.slice(0, 3)) hashes.push(eventHash(hashes.at(-1) ?? NO_HASH, event));
  const { rows } = await pool.query<{ hash: Buffer }>(
    `select substring(hashes from octet_length(hashes) - 31) as hash
       from audit.event_hashes order by first desc limit 1`,
  );
  await tamper('audit.event_hashes', 'delete from audit.event_hashes');
  await pool.query('insert into audit.event_hashes (first, positions, hashes) values (1, $1, $2)', [
    events.map(({ position }) => position),
    Buffer.concat([...hashes, rows[0]?.hash ?? NO_HASH]),
  ]);
  expect((await verifyAuditLog({ store: rewritten, log })).problems).toEqual([
    expect.stringMatching(/or its hash, was changed$/u),
  ]);
});

test('is explained by npm run audit', async () => {
  const positions = await append(3);
  start();
  await waitForChain(3);
  await restoreTo(positions[0] as Position);
  await append(1);
  await waitForChain(2);
  const verification = await verify();
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    expect(report(verification)).toBe(0);
    const output = write.mock.calls.map(([text]) => String(text)).join('');
    expect(output).toContain('Segment 2 of the audit chain begins with event 2');
    expect(output).toContain(`2 events after position ${positions[0]} are lost`);
    expect(output).toContain('The segment before it ended with event 3');
    expect(output).toContain('In order: 2 events');
  } finally {
    write.mockRestore();
  }
});

test('is explained as one without hashes if the chain had none, which shows no loss', async () => {
  await append(2);
  await beginSegmentWithoutLoss();
  start();
  await waitForChain(2);
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    expect(report(await verify())).toBe(0);
    const output = write.mock.calls.map(([text]) => String(text)).join('');
    expect(output).toContain('The chain had no hashes, so they do not show a loss.');
    expect(output).not.toContain('has lost no event');
  } finally {
    write.mockRestore();
  }
});
