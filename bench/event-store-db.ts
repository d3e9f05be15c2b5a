import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { START_POSITION, type EventStore, type EventToAppend, type StreamId } from '@alpenglow/domain';
import { createLogger, createPool, createPostgresEventStore, migrate, readEventPages } from '@alpenglow/infra';
import { openEventStoreDb } from '@alpenglow/infra/eventstoredb';
import { createEventStoreDb, findEventStoreProgram } from '../launcher/engines/eventstoredb.mjs';
import { bundleForNode } from '../tests/support/bundle.mjs';
import { connectPlainClient } from '../tests/support/event-store-server/plain-client.ts';
import { createServerFolder, removeServerFiles } from '../tests/support/server-folder.mjs';
import { forEachInParallel } from './closed-loop.ts';
import { createSampleEvent } from './event-store.ts';
import { median } from './statistics.ts';
import { withTemporaryPostgres } from './temporary-postgres.ts';

const FILL_events = 20_000;
const FILL_BATCH_events = 250;
const APPENDS = 4_000;
const WRITERS = 64;
const PAGE_events = 1_000;
const ROUNDS = 5;

/** The rate and the processor time of this process in a round. */
interface Round {
  readonly perSecond: number;
  readonly each_us: number;
}

/** Ours next to the client of EventStoreDB, or next to our store on Postgres. */
interface Compared {
  /** The median ratio of the rates. */
  readonly ratio: number;
  /** The median processor time for an event, and that of the other one. */
  readonly ours_us: number;
  readonly theirs_us: number;
}

export interface EventStoreDbFigures {
  /** False if the server is the gRPC server of the tests. */
  readonly isReal: boolean;
  readonly pages: Compared;
  readonly longRead: Compared;
  readonly subscription: Compared;
  readonly append: Compared;
  /** The processor time of a writer with our adapter ÷ with our store on Postgres. */
  readonly writerTimeRatio: number;
}

/**
 * Compares the adapter of EventStoreDB with the client itself on one server: pages, a long read, a subscription, and
 * appends by 64 writers. Also compares the processor time of the writer with that on Postgres. The server is the one at
 * `TEST_EVENTSTORE_URL`, or one whose program is on the `PATH`. Without both, it is the gRPC server of the tests in a
 * separate process, which shows the part of our own process. Both sides take turns in each round, and the order
 * alternates.
 */
export async function benchEventStoreDb(
  root: string,
  printProgress: (text: string) => void,
): Promise<EventStoreDbFigures> {
  const given = process.env['TEST_EVENTSTORE_URL'];
  printProgress('The adapter of EventStoreDB next to its client');
  if (given !== undefined) return { isReal: true, ...(await compareOn(given, root)) };
  const started = await withStartedServer((url) => compareOn(url, root));
  if (started) return { isReal: true, ...started };
  const program = await bundleForNode(path.join(root, 'bench/event-store-server.ts'));
  const server = fork(program.path, { execArgv: [] });
  try {
    const failed = once(server, 'exit').then(() => Promise.reject(new Error('The server ended before it was ready')));
    const [url] = (await Promise.race([once(server, 'message'), failed])) as [string];
    failed.catch(() => undefined);
    return { isReal: false, ...(await compareOn(url, root)) };
  } finally {
    if (server.connected) server.disconnect();
    await program.remove();
  }
}

/** Calls `work` with the address of a server that is started. Returns null if its program is not on the `PATH`. */
async function withStartedServer<T>(work: (url: string) => Promise<T>): Promise<T | null> {
  if ((await findEventStoreProgram()) === null) return null;
  const dir = await createServerFolder('bench-eventstoredb');
  try {
    const server = await createEventStoreDb({ dir });
    try {
      await server.start();
      return await work(server.env['EVENTSTORE_URL'] ?? '');
    } finally {
      await server.dispose();
    }
  } finally {
    await removeServerFiles(dir);
  }
}

async function compareOn(url: string, root: string): Promise<Omit<EventStoreDbFigures, 'isReal'>> {
  const store = await openEventStoreDb(url, { log: createLogger('silent') });
  const client = connectPlainClient(url);
  try {
    if ((await store.readHead()) !== START_POSITION)
      throw new Error('The event store of this benchmark must contain no events of ours');
    for (let filled = 0; filled < FILL_events; filled += FILL_BATCH_events)
      await appendTo(store, Array.from({ length: FILL_BATCH_events }, createSampleEvent));
    const pages = await compare(FILL_events, {
      ours: { run: () => readPages(store) },
      theirs: { run: () => client.readPages(PAGE_events) },
    });
    const longRead = await compare(FILL_events, {
      ours: { run: () => readAtOnce(store) },
      theirs: { run: () => client.readAtOnce() },
    });
    const subscription = await compare(FILL_events, {
      ours: { run: () => follow(store) },
      theirs: { run: () => client.follow(FILL_events) },
    });
    const append = await compare(APPENDS, {
      ours: createAppends((event) => appendTo(store, [event])),
      theirs: createAppends((event) => client.append(newStream(), event)),
    });
    const writing = await withTemporaryPostgres({}, async (connectionString) => {
      await migrate(connectionString, { migrationsDir: path.join(root, 'infra/migrations') });
      const pool = createPool({ connectionString, max: 2, applicationName: 'bench' });
      const postgres = createPostgresEventStore({ pool, connectionString });
      try {
        return await compare(APPENDS, {
          ours: createAppends((event) => appendTo(store, [event])),
          theirs: createAppends((event) => appendTo(postgres, [event])),
        });
      } finally {
        await postgres.close();
        await pool.end();
      }
    });
    return { pages, longRead, subscription, append, writerTimeRatio: writing.ours_us / writing.theirs_us };
  } finally {
    await client.close();
    await store.close();
  }
}

/** Work that is measured. `prepare` runs before each round and is not measured. */
interface Work {
  prepare?(): void;
  /** Returns the number of events that it has handled. */
  run(): Promise<number>;
}

/** Runs both kinds of work in turns. The first round is a warm-up. Each must handle `units` events in a round. */
async function compare(
  units: number,
  { ours, theirs }: { readonly ours: Work; readonly theirs: Work },
): Promise<Compared> {
  const rounds: { readonly ours: Round; readonly theirs: Round }[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const oursFirst = round % 2 === 0 ? await measure(ours, units) : null;
    const other = await measure(theirs, units);
    const measured = { ours: oursFirst ?? (await measure(ours, units)), theirs: other };
    if (round > 0) rounds.push(measured);
  }
  return {
    ratio: median(rounds.map((round) => round.ours.perSecond / round.theirs.perSecond)),
    ours_us: median(rounds.map((round) => round.ours.each_us)),
    theirs_us: median(rounds.map((round) => round.theirs.each_us)),
  };
}

async function measure(work: Work, units: number): Promise<Round> {
  work.prepare?.();
  const cpuBefore = process.cpuUsage();
  const start_ms = performance.now();
  const handled = await work.run();
  const elapsed_s = (performance.now() - start_ms) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  if (handled !== units) throw new Error(`${handled} events were handled instead of ${units}`);
  return { perSecond: units / elapsed_s, each_us: (user + system) / units };
}

const newStream = () => `bench-${randomUUID()}` as StreamId;

const appendTo = (store: EventStore, events: readonly EventToAppend[]) =>
  store.append(newStream(), events, { expectedRevision: 'no-stream' });

/** Appends by 64 writers, one event each. */
function createAppends(append: (event: EventToAppend) => Promise<unknown>): Work {
  let events: readonly EventToAppend[] = [];
  return {
    prepare() {
      events = Array.from({ length: APPENDS }, createSampleEvent);
    },
    async run() {
      await forEachInParallel(events, WRITERS, append);
      return events.length;
    },
  };
}

async function readPages(store: EventStore): Promise<number> {
  let count = 0;
  for (let after = START_POSITION; ; ) {
    const page = await store.readAll({ after, limit: PAGE_events });
    count += page.length;
    const last = page.at(-1);
    if (!last) return count;
    after = last.position;
  }
}

/** Reads as tools, rebuilds and the audit do. */
async function readAtOnce(store: EventStore): Promise<number> {
  let count = 0;
  for await (const page of readEventPages(store, { after: START_POSITION })) count += page.length;
  return count;
}

async function follow(store: EventStore): Promise<number> {
  let count = 0;
  const end = new AbortController();
  for await (const batch of store.subscribeAll({ after: START_POSITION, signal: end.signal })) {
    count += batch.length;
    if (count >= FILL_events) break;
  }
  end.abort();
  return count;
}
