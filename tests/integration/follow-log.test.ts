import {
  account,
  NewerEventVersionError,
  START_POSITION,
  type EventStore,
  type JobQueue,
  type RelayBatch,
} from '@alpenglow/domain';
import { registerAccount } from '@alpenglow/domain/deciders';
import {
  createAuditLog,
  createCommandHandler,
  createLogger,
  createPool,
  SealedDayLost,
  type Pool,
} from '@alpenglow/infra';
import { LIVE_RELAY_DUTY, runAuditChain, runLiveRelay, runReactor, type Reactor } from '@alpenglow/projectors';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rewindCheckpoint } from '../../projectors/src/checkpoints/checkpoint-marks.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { anEvent, uniqueName } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { aBump } from '../support/live-events.ts';
import { runWithRetries } from '../support/run-with-retries.ts';
import { withStaleFirstReads } from '../support/stale-reads.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const NAME = 'reactor-test';
const log = createLogger('silent');

let database: TestDatabase;
let pool: Pool;
let store: ReturnType<typeof createMemoryEventStore>;
let jobIds: string[];
beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createPool({ connectionString: database.connectionString, max: 4, applicationName: 'test' });
  store = createMemoryEventStore();
  jobIds = [];
});
afterEach(async () => {
  await store.close();
  await pool.end();
  await database.drop();
});

const reactor: Reactor = {
  name: NAME,
  on: { AdBumped: (event) => ({ kind: 'video-probe', payload: { mediaId: event.data.adId } }) },
};
const jobs: JobQueue = {
  enqueue: async (_kind, _payload, { jobId }) => void jobIds.push(jobId),
  close: async () => undefined,
};
const start = () => runWithRetries((signal) => runReactor(reactor, { store, pool, jobs, log }, signal));

async function append(to: EventStore, ...events: readonly ReturnType<typeof anEvent>[]): Promise<readonly string[]> {
  await to.append(uniqueName('stream'), events, { expectedRevision: 'any' });
  return events.map(({ id }) => id);
}
const readCheckpoint = async () =>
  (await pool.query<{ position: string }>('select position from rm.checkpoints where name = $1', [NAME])).rows[0]
    ?.position;

test('stops before an event of an unknown type, which a newer build has written', async () => {
  const running = start();
  const handled = await append(store, aBump());
  const last = await store.readHead();
  await eventually(async () => expect(await readCheckpoint()).toBe(last));
  await append(store, anEvent({ type: 'OnlyInNewerBuild' }));
  await append(store, aBump());
  await eventually(() => expect(running.failures.length).toBeGreaterThan(1));
  await running.stop();
  for (const failure of running.failures) expect(failure).toBeInstanceOf(NewerEventVersionError);
  expect(await readCheckpoint()).toBe(last);
  expect(jobIds).toEqual(handled);
});

test('handles the events before an event of an unknown type, also if they were read together', async () => {
  const handled = await append(store, aBump());
  const last = await store.readHead();
  await append(store, anEvent({ type: 'OnlyInNewerBuild' }), aBump());
  const running = start();
  await eventually(async () => expect(await readCheckpoint()).toBe(last));
  await eventually(() => expect(running.failures.length).toBeGreaterThan(1));
  await running.stop();
  expect(jobIds).toEqual(handled);
});

test('the live relay has published everything up to its checkpoint', async () => {
  let published = START_POSITION;
  const publisher = {
    publish: async ({ through }: RelayBatch) => void (published = through),
    close: async () => undefined,
  };
  const running = runWithRetries((signal) => runLiveRelay({ store, pool, publisher, log }, signal));
  const relayedTo = async () =>
    (await pool.query<{ position: string }>('select position from rm.checkpoints where name = $1', [LIVE_RELAY_DUTY]))
      .rows[0]?.position;
  await eventually(async () => expect(await relayedTo()).toBeDefined());
  await append(store, aBump());
  await eventually(async () => expect(await relayedTo()).toBe(await store.readHead()));
  await append(store, ...Array.from({ length: 30 }, () => anEvent({ type: 'ReportFiled' })));
  const head = await store.readHead();
  // Later events let the checkpoint move again.
  await eventually(async () => {
    await append(store, anEvent({ type: 'ReportFiled' }));
    expect(await relayedTo()).toSatisfy((position: string) => position >= head);
  });
  await running.stop();
  expect(published).toBe(await relayedTo());
});

test('moves the checkpoint past events of other types, so that they are not read again', async () => {
  await append(store, ...Array.from({ length: 30 }, () => anEvent({ type: 'AdDeleted' })));
  const running = start();
  const head = await store.readHead();
  await eventually(async () => expect(await readCheckpoint()).toBe(head));
  await running.stop();
  expect(jobIds).toEqual([]);
});

test('returns to the last event that the log still contains, and not to the first one', async () => {
  const base = await append(store, aBump(), aBump());
  const common = await store.readHead();
  let running = start();
  await eventually(async () => expect(await readCheckpoint()).toBe(common));
  await running.stop();
  running = start();
  const lost = await append(store, aBump(), aBump());
  await eventually(() => expect(jobIds).toEqual([...base, ...lost]));
  await eventually(async () => expect(await readCheckpoint()).toBe(await store.readHead()));
  await running.stop();

  store.rewindTo(common);
  const added = await append(store, aBump(), aBump(), aBump());
  running = start();
  await eventually(() => expect(jobIds).toEqual([...base, ...lost, ...added]));
  await running.stop();
});

test('a relay whose first batch is lost publishes the events that replaced it', async () => {
  await append(store, aBump());
  const begin = await store.readHead();
  const published: RelayBatch[] = [];
  const publisher = {
    publish: async (batch: RelayBatch) => void published.push(batch),
    close: async () => undefined,
  };
  const startRelay = () => runWithRetries((signal) => runLiveRelay({ store, pool, log, publisher }, signal));
  const publishedIds = () => published.flatMap(({ messages }) => messages.map(({ message }) => message.eventId));
  let running = startRelay();
  await eventually(() => expect(published).toHaveLength(1));
  const lost = await append(store, aBump(), aBump());
  await eventually(() => expect(publishedIds()).toEqual(lost));
  await running.stop();

  store.rewindTo(begin);
  const added = await append(store, aBump());
  published.length = 0;
  running = startRelay();
  await eventually(() => expect(published.length).toBeGreaterThan(0));
  await eventually(() => expect(publishedIds()).toEqual(added));
  await running.stop();
});

test('returns to the last event that the log still contains, also if its first read is stale', async () => {
  const [id = ''] = await append(store, aBump());
  const common = await store.readHead();
  await append(store, aBump());
  const lost = await store.readHead();
  await pool.query('insert into rm.checkpoints (name, version, position) values ($1, 1, $2)', [NAME, lost]);
  await pool.query('insert into rm.checkpoint_marks (name, position, event_id) values ($1, $2, $3)', [
    NAME,
    common,
    id,
  ]);
  store.rewindTo(common);
  await append(store, aBump(), aBump());
  const checkpoint = { version: 1, position: lost, eventId: 'lost', lostPosition: null };
  const deps = { store: withStaleFirstReads(store), pool };
  // Without a mark, the consumer would start at the end of the log, and skip the new events.
  expect(await rewindCheckpoint(deps, NAME, checkpoint, store.readHead)).toBe(common);
  expect(await readCheckpoint()).toBe(common);
});

test('a command is decided on the events of the log, and not on a cached state with lost events', async () => {
  const commands = createCommandHandler(store);
  const register = (displayName: string, by = commands) =>
    by.execute(
      account,
      'a',
      registerAccount,
      {
        accountId: 'a',
        email: 'a@example.com',
        passwordHash: null,
        userType: 'provider',
        displayName,
        age: 30,
        isDemo: true,
      },
      { actor: { kind: 'system', name: 'test' }, correlationId: 'test' },
    );
  await append(store, aBump());
  const common = await store.readHead();
  await register('lost');
  store.rewindTo(common);
  expect((await commands.load(account, 'a')).revision).toBe(-1);
  await register('lost again');
  store.rewindTo(common);
  await register('new', createCommandHandler(store));
  expect((await commands.load(account, 'a')).state?.displayName).toBe('new');
});

test('the audit chain moves lost events aside, but never those of a day whose root is stored', async () => {
  const auditLog = createAuditLog(pool);
  const at = (day: string) => ({ ...anEvent().meta, at: `${day}T12:00:00.000Z` });
  const logged = (day: string) =>
    anEvent({ type: 'RoleGranted', data: { accountId: 'a', role: 'moderator', reason: 'Helps' }, meta: at(day) });
  const rewinds: unknown[] = [];
  const run = () =>
    runWithRetries((signal) =>
      runAuditChain({ store, log: auditLog, onRewound: (rewind) => void rewinds.push(rewind) }, signal),
    );
  const countOf = async (table: string) =>
    (await pool.query<{ count: number }>(`select count(*)::int as count from audit.${table}`)).rows[0]?.count;
  await append(store, logged('2026-01-01'));
  const first = await store.readHead();
  const running = run();
  await eventually(async () => expect(await auditLog.readRoots()).toHaveLength(1));
  const today = new Date().toISOString().slice(0, 10);
  await append(store, logged(today), logged(today));
  await eventually(async () => expect((await auditLog.head()).events).toBe(3));

  store.rewindTo(first);
  await append(store, logged(today));
  await eventually(async () => expect((await auditLog.head()).events).toBe(2));
  await eventually(() => expect(rewinds).toEqual([{ incarnation: 1, lostEvents: 2, position: first }]));
  expect(await countOf('lost_log_entries')).toBe(2);
  expect(running.failures).toEqual([]);

  const roots = await auditLog.readRoots();
  store.rewindTo(START_POSITION);
  await append(store, logged(today));
  await eventually(() => expect(running.failures.at(-1)).toBeInstanceOf(SealedDayLost));
  await running.stop();
  expect(await auditLog.isStopped()).toBe(true);
  expect(await auditLog.readRoots()).toEqual(roots);
  expect(await countOf('log_entries')).toBe(2);
});
