import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ERASURE_STEPS, person, toStreamId, type EventStore } from '@alpenglow/domain';
import {
  ERASURES,
  ACCOUNT_STREAMS,
  continueErasures,
  createCommandHandler,
  createDataKeys,
  createFileBlobStore,
  createLogger,
  createPool,
  createPostgresEventStore,
  createSessions,
  migrate,
  migrateJobs,
  openJobBackend,
  withPersonalData,
  type ErasedPerson,
  type ErasureSteps,
  type Pool,
} from '@alpenglow/infra';
import {
  createPurgeStep,
  PROJECTIONS,
  rebuildProjection,
  runAccountStreams,
  runProjection,
} from '@alpenglow/projectors';
import { createErasureSteps } from '../workers/src/erasure/erasure-steps.ts';
import { appendEvent, appendProvider, appendThread, appendTraces } from '../tests/support/erased-person.ts';
import { countEvents } from '../tests/support/event-log.ts';
import { readCpuTime } from '../tests/support/process-usage.ts';
import { storeAdHistory } from './ad-history.ts';
import type { BenchArguments } from './arguments.mjs';
import { withDatabase } from './databases.ts';
import { median } from './statistics.ts';
import { withTemporaryPostgres } from './temporary-postgres.ts';

/** The number of ads whose events are in the store, in the two sizes that are compared. One ad has about ten events. */
const SIZES_ads = [1_000, 10_000];
const MEASURED = 10;
const TOGETHER = 50;
const POLL_ms = 200;
const RETRY_ms = 1_000;
const LONG_AGO_ms = 60_000;
const SECRET = 'ab'.repeat(32);

interface Cost {
  /** Median. */
  readonly elapsed_ms: number;
  /** Mean of the processor time of this process and of Postgres, including the projections of all events. */
  readonly processor_ms: number;
}

interface SizeFigures {
  readonly events: number;
  /** The cost of one erasure with the index, without its waiting times. */
  readonly withIndex: Cost;
  readonly withoutIndex: Cost;
  /** The time until all of `TOGETHER` erasures were complete. They were requested at the same time. */
  readonly together_s: number;
}

/**
 * Measures the cost of an erasure in stores of two sizes, with and without the index from accounts to streams. Every
 * erased account has an ad, a thread, a reply, a review, a photo, a report and an identity check. Also measures many
 * erasures at once with all steps and waiting times. Prints the figures. Arguments: other numbers of ads.
 */
export async function bench(root: string, { others }: BenchArguments): Promise<void> {
  const sizes = others.length > 0 ? others.map(Number) : SIZES_ads;
  const figures: SizeFigures[] = [];
  await withTemporaryPostgres({}, async (serverUrl, { pid, folder: dataDir }) => {
    for (const ads of sizes)
      figures.push(await withDatabase(serverUrl, (url) => measureSize({ root, url, dataDir, ads }, pid)));
  });
  for (const { events, withIndex, withoutIndex, together_s } of figures)
    process.stdout.write(
      `${events} events: ${format(withIndex)} with the index, ${format(withoutIndex)} without; ` +
        `${TOGETHER} erasures at once in ${together_s.toFixed(0)} s\n`,
    );
  const [first, last] = [figures[0], figures.at(-1)];
  if (first && last)
    process.stdout.write(
      `ratio of the largest to the smallest store: ` +
        `${(last.withIndex.processor_ms / first.withIndex.processor_ms).toFixed(2)} with the index, ` +
        `${(last.withoutIndex.processor_ms / first.withoutIndex.processor_ms).toFixed(2)} without\n`,
    );
}

const format = ({ elapsed_ms, processor_ms }: Cost) =>
  `${processor_ms.toFixed(0)} ms of processor time (${elapsed_ms.toFixed(0)} ms elapsed)`;

async function measureSize(
  { root, url, dataDir, ads }: { root: string; url: string; dataDir: string; ads: number },
  postgresPid: number,
): Promise<SizeFigures> {
  await migrate(url, { migrationsDir: path.join(root, 'infra/migrations') });
  await migrateJobs(url);
  const pool = createPool({ connectionString: url, max: 60, applicationName: 'bench', statementTimeout_ms: 0 });
  const sealedStore = createPostgresEventStore({ pool, connectionString: url });
  const dataKeys = createDataKeys(pool, SECRET);
  const store = withPersonalData(sealedStore, dataKeys);
  const log = createLogger('silent');
  const commands = createCommandHandler(store);
  const backend = await openJobBackend({ connectionString: url });
  const blobs = await createFileBlobStore({ root: path.join(dataDir, 'blobs') });
  const deps = { pool, sealedStore, dataKeys, commands, sessions: createSessions(pool), blobs, backend, log };
  const workerSteps = createErasureSteps({ ...deps, createAccountId: (address) => address });
  const purgeSteps = { read_models_purged: createPurgeStep(deps, PROJECTIONS) };
  const stopped = new AbortController();
  const { signal } = stopped;
  try {
    process.stderr.write(`Writing the events of ${ads} ads\n`);
    const people = Array.from({ length: 2 * MEASURED + TOGETHER }, (_, index) => `person-${index}`);
    await storeAdHistory(store, ads);
    for (const accountId of people) await appendPerson(store, accountId, await findOwner(pool));
    process.stderr.write('Building the read models and the index\n');
    for (const projection of PROJECTIONS) await rebuildProjection(projection, { store, pool });
    const running = [
      ...PROJECTIONS.map((projection) => runProjection(projection, { store, pool, log }, signal)),
      runAccountStreams({ pool, sealedStore, log }, signal),
    ];
    for (const run of running) run.catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
    await waitForCheckpoint(pool, store);
    const events = await countEvents(pool);

    const steps: ErasureSteps = { ...workerSteps, ...purgeSteps };
    const withIndex = await measure(people.slice(0, MEASURED), steps, postgresPid, signal);
    const together_s = await eraseTogether(
      people.slice(2 * MEASURED),
      (accountId) => request(store, accountId),
      [workerSteps, purgeSteps],
      { pool, commands, log },
      signal,
    );
    stopped.abort();
    await Promise.allSettled(running);
    // Without its checkpoint, the index is not used, as directly after an upgrade.
    await pool.query('delete from rm.checkpoints where name = $1', [ACCOUNT_STREAMS]);
    const again = new AbortController();
    const projecting = PROJECTIONS.map((projection) => runProjection(projection, { store, pool, log }, again.signal));
    const withoutIndex = await measure(people.slice(MEASURED, 2 * MEASURED), steps, postgresPid, again.signal);
    again.abort();
    await Promise.allSettled(projecting);
    return { events, withIndex, withoutIndex, together_s };
  } finally {
    stopped.abort();
    await backend.close();
    await store.close();
    await pool.end();
  }
}

async function findOwner(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ owner: string }>(
    `select substr(stream, length('listing-') + 1) as owner from es.events where type = 'AdPosted'
      order by position limit 1 offset floor(random() * 1000)`,
  );
  return rows[0]?.owner ?? '';
}

async function appendPerson(store: EventStore, accountId: string, ownerId: string): Promise<void> {
  const ids = { ownerId, threadId: randomUUID(), mediaId: randomUUID(), checkId: randomUUID() };
  await appendProvider(store, accountId, accountId);
  await appendThread(store, accountId, ids.threadId, accountId);
  await appendTraces(store, accountId, accountId, ids);
}

async function request(store: EventStore, accountId: string): Promise<void> {
  const data = { accountId, receiptId: randomUUID(), by: 'self', reason: null };
  await appendEvent(store, toStreamId(person, accountId), 'ErasureRequested', data);
}

async function waitForCheckpoint(pool: Pool, store: EventStore): Promise<void> {
  const head = await store.readHead();
  for (;;) {
    const { rowCount } = await pool.query('select from rm.checkpoints where name = $1 and position >= $2', [
      ACCOUNT_STREAMS,
      head,
    ]);
    if (rowCount === 1) return;
    await pause(POLL_ms);
  }
}

/** Performs the steps of erasures one after another, without the waiting times between the steps. */
async function measure(
  accountIds: readonly string[],
  steps: ErasureSteps,
  postgresPid: number,
  signal: AbortSignal,
): Promise<Cost> {
  const elapsed_ms: number[] = [];
  const before_ms = await readProcessorTime_ms(postgresPid);
  for (const accountId of accountIds) {
    const since_ms = performance.now();
    let erased: ErasedPerson = {
      accountId,
      receiptId: randomUUID(),
      requestedAt: new Date(Date.now() - LONG_AGO_ms).toISOString(),
      completedSteps: [],
    };
    for (const step of ERASURE_STEPS) {
      while ((await steps[step]?.(erased, signal)) === 'later') await pause(POLL_ms);
      // The purge of the read models waits until this time is some seconds ago. The events of the account are older.
      const at = new Date(step === 'keys_destroyed' ? Date.now() - LONG_AGO_ms : Date.now()).toISOString();
      erased = { ...erased, completedSteps: [...erased.completedSteps, { step, at }] };
    }
    elapsed_ms.push(performance.now() - since_ms);
  }
  return {
    elapsed_ms: median(elapsed_ms),
    processor_ms: ((await readProcessorTime_ms(postgresPid)) - before_ms) / accountIds.length,
  };
}

/** Requests erasures at the same time, and continues them as the workers and the projectors do. Returns the seconds. */
async function eraseTogether(
  accountIds: readonly string[],
  requestErasure: (accountId: string) => Promise<void>,
  services: readonly ErasureSteps[],
  deps: Parameters<typeof continueErasures>[0],
  signal: AbortSignal,
): Promise<number> {
  const since_ms = performance.now();
  for (const accountId of accountIds) await requestErasure(accountId);
  let isComplete = false;
  const running = services.map(async (steps) => {
    while (!isComplete) {
      await continueErasures(deps, steps, signal);
      await pause(RETRY_ms);
    }
  });
  for (;;) {
    const { rows } = await deps.pool.query<{ completed: number }>(
      `select count(*)::integer as completed from ${ERASURES.table} where completed_at is not null`,
    );
    if (rows[0]?.completed === accountIds.length) break;
    await pause(POLL_ms);
  }
  isComplete = true;
  await Promise.all(running);
  return (performance.now() - since_ms) / 1_000;
}

/** Returns the processor time that this process and the processes of Postgres have used. */
async function readProcessorTime_ms(postgresPid: number): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + (await readCpuTime(postgresPid)) * 1_000;
}
