import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { StreamId } from '@alpenglow/domain';
import { counterToPosition, createPostgresEventStore, migrate } from '@alpenglow/infra';
import { openDatabase } from '../launcher/tools/database.ts';
import { createTestPool } from '../tests/support/database.ts';
import { removeServerFiles } from '../tests/support/server-folder.mjs';
import { forEachInParallel } from './closed-loop.ts';
import { withDatabase } from './databases.ts';
import { createSampleEvent } from './event-store.ts';
import { createDataDir } from './running-product.ts';
import { median, percentile } from './statistics.ts';

const SIZES_events = [10_000, 100_000, 1_000_000, 10_000_000];
/** The largest size. 10⁷ events need 10 GB of disk and several minutes. */
const MAX_events = Number(process.env['BENCH_MAX_EVENTS'] ?? 1_000_000);
const EVENTS_PER_STREAM = 50;
const FILLERS = 32;
const ROUNDS = 7;
const OPERATIONS = 100;
const PAGE_events = 100;

/** Latencies of a log with this number of events. Medians of all rounds. */
export interface LogFigures {
  readonly events: number;
  readonly append_ms: number;
  readonly stream_ms: number;
  readonly page_ms: number;
}

interface Log {
  readonly events: number;
  /** Runs the operations of one round. Returns the median latency of each kind. */
  measure(): Promise<Omit<LogFigures, 'events'>>;
}

/**
 * Measures the event store on Postgres with 10⁴, 10⁵, 10⁶ and, if `BENCH_MAX_EVENTS` allows, 10⁷ events: durable
 * appends of one event, reads of a random stream, and reads of 100 events at a random position. Operations run one
 * after the other. The sizes take turns, so that the load of the machine affects all of them.
 */
export async function benchLogGrowth(printProgress: (text: string) => void): Promise<readonly LogFigures[]> {
  const dataDir = await createDataDir();
  const server = await openDatabase(null, dataDir, true);
  try {
    return await withLogs(
      server.url,
      SIZES_events.filter((events) => events <= MAX_events),
      [],
      printProgress,
    );
  } finally {
    await server.close();
    await removeServerFiles(dataDir);
  }
}

/** Fills a database for each size, and measures all of them when the last one is full. */
async function withLogs(
  url: string,
  [size, ...others]: readonly number[],
  logs: readonly Log[],
  printProgress: (text: string) => void,
): Promise<readonly LogFigures[]> {
  if (size === undefined) return measureInTurns(logs, printProgress);
  return withDatabase(
    url,
    async (connectionString) => {
      await migrate(connectionString, { migrationsDir: path.resolve('infra/migrations') });
      const pool = createTestPool(connectionString, 4);
      const store = createPostgresEventStore({ pool, connectionString });
      try {
        printProgress(`Appending ${size.toLocaleString('en')} events`);
        const streams = Array.from({ length: size / EVENTS_PER_STREAM }, () => `bench-${randomUUID()}` as StreamId);
        await forEachInParallel(streams, FILLERS, (stream) =>
          store.append(stream, Array.from({ length: EVENTS_PER_STREAM }, createSampleEvent), {
            expectedRevision: 'no-stream',
          }),
        );
        await pool.query('vacuum analyze es.events');
        const random = (count: number) => Math.floor(Math.random() * count);
        const log: Log = {
          events: size,
          measure: async () => ({
            append_ms: await medianTime(() =>
              store.append(`bench-${randomUUID()}` as StreamId, [createSampleEvent()], {
                expectedRevision: 'no-stream',
              }),
            ),
            stream_ms: await medianTime(() => store.readStream(streams[random(streams.length)] as StreamId)),
            page_ms: await medianTime(() =>
              store.readAll({ after: counterToPosition(String(random(size - PAGE_events))), limit: PAGE_events }),
            ),
          }),
        };
        return await withLogs(url, others, [...logs, log], printProgress);
      } finally {
        await store.close();
        await pool.end();
      }
    },
    `bench_${size}`,
  );
}

async function measureInTurns(
  logs: readonly Log[],
  printProgress: (text: string) => void,
): Promise<readonly LogFigures[]> {
  printProgress('Measuring the logs in turn');
  const rounds: (readonly LogFigures[])[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const figures: LogFigures[] = [];
    for (const { events, measure } of logs) figures.push({ events, ...(await measure()) });
    // The first round fills the caches.
    if (round > 0) rounds.push(figures);
  }
  return logs.map(({ events }, index) => {
    const of = (key: keyof LogFigures) => median(rounds.map((figures) => figures[index]?.[key] ?? Number.NaN));
    return { events, append_ms: of('append_ms'), stream_ms: of('stream_ms'), page_ms: of('page_ms') };
  });
}

async function medianTime(work: () => Promise<unknown>): Promise<number> {
  const times_ms: number[] = [];
  for (let n = 0; n < OPERATIONS; n += 1) {
    const start_ms = performance.now();
    await work();
    times_ms.push(performance.now() - start_ms);
  }
  return percentile(times_ms, 50);
}
