import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { START_POSITION, type EventStore, type JobQueue } from '@alpenglow/domain';
import {
  createAuditLog,
  createLogger,
  createMetrics,
  createResourceStack,
  createPostgresEventStore,
  loadSecrets,
  SealedDayLost,
  verifyAuditLog,
  type AuditLog,
  type DailyRoot,
  type Pool,
} from '@alpenglow/infra';
import { registerProjectorMetrics, runAuditChain, runReactor, type Reactor } from '@alpenglow/projectors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { main as runAudit } from '../../launcher/tools/audit.ts';
import { main as backUp } from '../../launcher/tools/backup.ts';
import { writeBackupKey } from '../../launcher/tools/backup/backup-key.ts';
import { readStoredPositions, switchPositions } from '../../launcher/tools/copy/switch-positions.ts';
import { copyAndVerify } from '../../launcher/tools/migrate-store.ts';
import { main as restore } from '../../launcher/tools/restore.ts';
import { copyRows } from '../support/copied-rows.ts';
import { createMigratedDatabase, createTestPool, type TestDatabase } from '../support/database.ts';
import { anEvent, uniqueName } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { runWithRetries } from '../support/run-with-retries.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

/** The continuation of the audit chain after the event log has lost events of a past day (decision 0070). */

const REASON = 'Failover to the replica in zone b';
const ROOT_DIR = path.resolve(import.meta.dirname, '../..');
const log = createLogger('silent');

let database: TestDatabase;
let pool: Pool;
let store: EventStore;
let auditLog: AuditLog;
let dataDir: string;
let running: ReturnType<typeof runWithRetries>[];
const closing = createResourceStack();

beforeEach(async () => {
  database = await createMigratedDatabase();
  pool = createTestPool(database.connectionString, 8);
  store = createPostgresEventStore({ pool, connectionString: database.connectionString });
  auditLog = createAuditLog(pool);
  dataDir = await mkdtemp(path.join(tmpdir(), 'alpenglow-audit-'));
  running = [];
});
afterEach(async () => {
  await stopChain();
  await closing.closeAll();
  await store.close();
  await pool.end();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const stopChain = () => Promise.all(running.map((duty) => duty.stop()));

/** Calls `npm run audit` and returns its exit code and its output. */
function callTool(...args: readonly string[]) {
  return call(runAudit, args, { DATABASE_URL: database.connectionString, DATA_DIR: dataDir });
}

/** Calls a command-line tool and returns its exit code and its output. */
async function call(
  tool: typeof runAudit,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly output: string }> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const writeError = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const code = await tool(args, { env, rootDir: ROOT_DIR, ownsDataDir: true });
    return { code, output: write.mock.calls.map(([text]) => String(text)).join('') };
  } finally {
    write.mockRestore();
    writeError.mockRestore();
  }
}

const logged = (day: string) =>
  anEvent({
    type: 'RoleGranted',
    data: { accountId: 'a', role: 'moderator', reason: 'Helps' },
    meta: { ...anEvent().meta, at: `${day}T12:00:00.000Z` },
  });
const append = (...days: readonly string[]) =>
  store.append(uniqueName('stream'), days.map(logged), { expectedRevision: 'any' });
const today = () => new Date().toISOString().slice(0, 10);
type Chain = ReturnType<typeof runWithRetries> & {
  /** Resolves after the past days were sealed for the first time. The next time is a minute later. */
  readonly hasSealed: Promise<void>;
};
function startChain(parts = { store, log: auditLog }): Chain {
  let markSealed: () => void = () => undefined;
  const hasSealed = new Promise<void>((resolve) => (markSealed = resolve));
  const log: AuditLog = {
    ...parts.log,
    async sealDaysBefore(day) {
      await parts.log.sealDaysBefore(day);
      markSealed();
    },
  };
  const chain = runWithRetries((signal) => runAuditChain({ ...parts, log }, signal));
  running.push(chain);
  return { ...chain, hasSealed };
}
const readMetrics = async () => {
  const registry = createMetrics();
  registerProjectorMetrics(registry, {
    store,
    pool,
    auditLog,
    foreignEvents: { count: () => undefined, read: () => ({}) },
  });
  return registry.metrics();
};
const waitForEvents = (count: number) => eventually(async () => expect((await auditLog.head()).events).toBe(count));

/** Lets the log lose two of three events. The root of the day of the first two events is stored. */
async function loseSealedEvents(): Promise<Chain> {
  const chain = startChain();
  await chain.hasSealed;
  await append('2026-01-01');
  await waitForEvents(1);
  const restore = await copyRows(pool, ['es']);
  await append('2026-01-01', today());
  await waitForEvents(3);
  await eventually(async () => expect(await auditLog.readRoots()).toHaveLength(1));
  await restore();
  await append(today());
  await eventually(() => expect(chain.failures.at(-1)).toBeInstanceOf(SealedDayLost));
  return chain;
}

test('the chain stops, other consumers continue, and the operator continues the chain by decision', async () => {
  const chain = await loseSealedEvents();
  const roots = await auditLog.readRoots();
  expect(await auditLog.isStopped()).toBe(true);
  expect(await readMetrics()).toMatch(/^audit_chain_stopped 1$/mu);

  const jobIds: string[] = [];
  const jobs: JobQueue = {
    enqueue: async (_kind, _payload, { jobId }) => void jobIds.push(jobId),
    close: async () => undefined,
  };
  const reactor: Reactor = {
    name: 'reactor-test',
    on: { RoleGranted: ({ data }) => ({ kind: 'video-probe', payload: { mediaId: data.accountId } }) },
  };
  running.push(runWithRetries((signal) => runReactor(reactor, { store, pool, jobs, log }, signal)));
  await eventually(() => expect(jobIds).toHaveLength(2));

  const { code, output } = await callTool('continue', '--reason', REASON);
  expect(code).toBe(0);
  expect(output).toContain('Continued: 2 events after position');
  await waitForEvents(2);
  await append(today());
  await waitForEvents(3);
  const failures = chain.failures.length;
  await eventually(async () => expect(await auditLog.isStopped()).toBe(false));
  expect(await readMetrics()).toMatch(/^audit_chain_stopped 0$/mu);
  expect(chain.failures.length).toBe(failures);

  expect(await auditLog.readRoots()).toEqual(roots);
  const [entry] = await auditLog.listEntries({ type: 'AuditChainContinued', actorId: null, before: null, limit: 10 });
  expect(entry?.entry).toMatchObject({
    number: 4,
    day: today(),
    actor: { kind: 'system', name: 'operator' },
    facts: { reason: REASON, commonEvents: 1, lostEvents: 2, firstLostEntry: 2, lastLostEntry: 3 },
  });
  expect(await verifyAuditLog({ store, log: auditLog })).toMatchObject({ events: 3, entries: 6, problems: [] });
  expect((await callTool('verify')).output).toContain('In order: 3 events, 6 entries');
});

test('the entry about the continuation cannot be changed without notice', async () => {
  await loseSealedEvents();
  await callTool('continue', '--reason', REASON);
  await waitForEvents(2);
  await stopChain();
  await pool.query('alter table audit.log_entries disable trigger user');
  await pool.query(
    `update audit.log_entries set entry = replace(entry::text, '"firstLostEntry":2', '"firstLostEntry":1')::json
      where type = 'AuditChainContinued'`,
  );
  const { problems } = await verifyAuditLog({ store, log: auditLog });
  expect(problems).toContainEqual(expect.stringContaining('entry 4 of the moderation log'));
});

test('events that are lost after a continuation are moved aside as before', async () => {
  await loseSealedEvents();
  await callTool('continue', '--reason', REASON);
  await waitForEvents(2);
  await pool.query('drop schema copied cascade');
  const restore = await copyRows(pool, ['es']);
  await append(today());
  await waitForEvents(3);
  await restore();
  await append(today(), today());
  await waitForEvents(4);
  expect((await verifyAuditLog({ store, log: auditLog })).problems).toEqual([]);
});

test('the chain continues without a decision if the log contains the events again', async () => {
  const chain = startChain();
  await chain.hasSealed;
  await append('2026-01-01');
  await waitForEvents(1);
  const loseEvents = await copyRows(pool, ['es']);
  await append('2026-01-01', today());
  await waitForEvents(3);
  await eventually(async () => expect(await auditLog.readRoots()).toHaveLength(1));
  await pool.query('create table copied.all_events as table es.events');
  await loseEvents();
  await append(today());
  await eventually(() => expect(chain.failures.at(-1)).toBeInstanceOf(SealedDayLost));
  await pool.query(
    `begin; set local session_replication_role = replica; delete from es.events;
     insert into es.events table copied.all_events; commit`,
  );
  await eventually(async () => expect(await auditLog.isStopped()).toBe(false));
  expect((await verifyAuditLog({ store, log: auditLog })).problems).toEqual([]);
});

test('the command changes nothing without a reason, or while the chain is not stopped', async () => {
  for (const args of [['continue'], ['continue', '--reason', ' '], ['continue', '--reason', 'x'.repeat(1_001)]])
    expect((await callTool(...args)).code, args.join(' ').slice(0, 40)).toBe(2);
  startChain();
  await append(today());
  await waitForEvents(1);
  await expect(callTool('continue', '--reason', REASON)).rejects.toThrow('The audit chain is not stopped');
  expect((await auditLog.head()).lastEntry?.number).toBe(1);
});

describe('after a continuation', () => {
  let roots: readonly DailyRoot[];
  /** Continues the chain, and stores the root of a day with the lost entries and the root of the day after it. */
  async function continueAndSeal(): Promise<void> {
    await loseSealedEvents();
    await callTool('continue', '--reason', REASON);
    await waitForEvents(2);
    await stopChain();
    await auditLog.sealDaysBefore('9999-01-01');
    roots = await auditLog.readRoots();
    expect(roots).toMatchObject([
      { day: '2026-01-01', first: 1, last: 2 },
      { day: today(), first: 3, last: 5 },
    ]);
  }

  /** Chains all events of another store, and expects that roots and entries are those of the earlier store. */
  async function expectSameLog(parts: { readonly store: EventStore; readonly log: AuditLog }): Promise<void> {
    startChain(parts);
    await eventually(async () => expect((await parts.log.head()).events).toBe(2));
    expect((await parts.log.head()).lastEntry?.number).toBe(5);
    await parts.store.append(uniqueName('stream'), [logged(today())], { expectedRevision: 'any' });
    await eventually(async () => expect((await parts.log.head()).events).toBe(3));
    await stopChain();
    expect(await parts.log.readRoots()).toEqual(roots);
    const [continuation] = await parts.log.readContinuations();
    expect(continuation).toMatchObject({ firstLostEntry: 2, lastLostEntry: 3, reason: REASON });
    expect(await verifyAuditLog(parts)).toMatchObject({ events: 3, entries: 6, days: 2, problems: [] });
  }

  test('a switch to another event store changes no entry and no root', async () => {
    await continueAndSeal();
    const target = createMemoryEventStore();
    await switchTo(target);
    expect((await auditLog.head()).events).toBe(0);
    await expectSameLog({ store: target, log: auditLog });
  });

  test('a backup and its restore change no entry and no root', async () => {
    await continueAndSeal();
    await expectSameLog(await backUpAndRestore());
  });
});

describe('a stopped chain', () => {
  test('prevents a switch to another event store, because it would remove the hashes of lost events', async () => {
    await loseSealedEvents();
    await stopChain();
    await expect(switchTo(createMemoryEventStore())).rejects.toThrow('The audit chain is stopped');
    expect((await auditLog.head()).events).toBe(3);
  });

  test('stops in a restored installation as well, and can be continued there', async () => {
    await loseSealedEvents();
    await stopChain();
    const roots = await auditLog.readRoots();
    const restored = await backUpAndRestore();
    const chain = startChain(restored);
    await eventually(() => expect(chain.failures.at(-1)).toBeInstanceOf(SealedDayLost));
    expect(await restored.log.continueAfterLoss(restored.store, REASON)).toMatchObject({
      entry: 4,
      loss: { firstLostEntry: 2, lostEvents: 2, day: '2026-01-01' },
    });
    await eventually(async () => expect((await restored.log.head()).events).toBe(2));
    expect(await restored.log.readRoots()).toEqual(roots);
    expect((await verifyAuditLog(restored)).problems).toEqual([]);
  });
});

test('unsealed entries whose events are not in a restored log are moved aside', async () => {
  startChain();
  await append(today(), today());
  await waitForEvents(2);
  await stopChain();
  const target = createMemoryEventStore();
  await switchTo(target);
  const other = createMemoryEventStore();
  const [first] = await target.readAll({ after: START_POSITION, limit: 1 });
  if (first) await other.append(first.stream, [first], { expectedRevision: 'no-stream' });
  startChain({ store: other, log: auditLog });
  await eventually(async () => expect((await auditLog.head()).events).toBe(1));
  expect((await pool.query('select from audit.lost_log_entries')).rowCount).toBe(1);
  expect(await verifyAuditLog({ store: other, log: auditLog })).toMatchObject({ entries: 1, problems: [] });
});

/** Copies all events into another event store and switches the database over to it. */
async function switchTo(target: EventStore): Promise<void> {
  const storedPositions = await readStoredPositions(pool);
  const { map } = await copyAndVerify(store, target, storedPositions);
  await switchPositions(pool, {
    storedPositions,
    map,
    to: { kind: 'eventstoredb', streamPrefix: '' },
    checkAllowed: async () => undefined,
  });
}

/** Backs the installation up, and returns another installation that was restored from this backup. */
async function backUpAndRestore(): Promise<{ readonly store: EventStore; readonly log: AuditLog }> {
  const env = { BACKUP_KEY_FILE: path.join(dataDir, 'key.txt') };
  await writeBackupKey(env.BACKUP_KEY_FILE);
  const source = { ...env, DATABASE_URL: database.connectionString, DATA_DIR: path.join(dataDir, 'source') };
  await loadSecrets(source.DATA_DIR);
  const to = path.join(dataDir, 'backup');
  expect(await call(backUp, ['--to', to, '--with-secrets'], source)).toMatchObject({ code: 0 });

  const place = await createMigratedDatabase();
  closing.add(() => place.drop());
  const target = { ...env, DATABASE_URL: place.connectionString, DATA_DIR: path.join(dataDir, 'target') };
  expect(await call(restore, ['--from', to], target)).toMatchObject({ code: 0 });
  const restoredPool = createTestPool(place.connectionString, 8);
  closing.add(() => restoredPool.end());
  const restoredStore = createPostgresEventStore({ pool: restoredPool, connectionString: place.connectionString });
  closing.add(() => restoredStore.close());
  return { store: restoredStore, log: createAuditLog(restoredPool) };
}
