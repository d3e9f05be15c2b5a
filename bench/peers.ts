import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Client } from 'pg';
import { bundleForNode } from '../tests/support/bundle.mjs';
import { runClosedLoop } from './closed-loop.ts';
import { createSampleEvent } from './event-store.ts';
import { installOnDemand } from './npm.ts';
import { loadStores, OURS, type PeerStore } from './peer-store.ts';
import { writeResults } from './results.ts';
import { median } from './statistics.ts';
import { withTemporaryPostgres } from './temporary-postgres.ts';

const MAX_WRITERS = 64;
const CONTENDERS = 8;
const PROCESSES = 4;
const ROUNDS = 3;
const ROUND_ms = 1_000;
const WARM_UP_ms = 500;
/** The number of events that are read. Smaller numbers would measure mainly the fixed cost of a rebuild. */
const FILL_events = 30_000;
const FILL_BATCH_events = 500;
const REBUILD_LIMIT_ms = 3_000;

interface Compared {
  readonly name: string;
  readonly connectionString: string;
  readonly store: PeerStore;
}

/** A row of the results: what is measured, and its rates in events per second by the name of the store. */
interface Row {
  readonly what: string;
  readonly rates: ReadonlyMap<string, number>;
}

/** The ratios of the comparison that `npm run bench` prints. */
export interface PeerFigures {
  readonly oneWriter: number;
  readonly readAll: number;
  readonly processes: number;
}

const MESSAGE_DB = 'message-db';
const READ_ALL = 'read everything';

const appendBy = (writers: number) => `append, ${writers} writer${writers === 1 ? '' : 's'}`;
const APPEND_IN_PROCESSES = `append, ${MAX_WRITERS} writers in ${PROCESSES} processes`;

/**
 * Compares our event store with other event stores on Postgres. Prints the median of the rounds in events per second.
 * Sets the exit code 1 unless our store is ahead of each peer in each row. Writes `bench/peers-results.json`.
 */
export async function bench(root: string): Promise<void> {
  const rows = await comparePeers(root);
  for (const row of rows) printRow(row);
  const results = rows.map(({ what, rates }) => ({ what, ...Object.fromEntries(rates) }));
  await writeResults(root, 'peers-results.json', { rows: results });
  if (!rows.every(isAhead)) process.exitCode = 1;
}

/** Measures the ratios of `npm run bench`. */
export async function benchPeers(root: string): Promise<PeerFigures> {
  const rows = new Map((await comparePeers(root)).map((row) => [row.what, row.rates]));
  const rate = (what: string, name = OURS) => rows.get(what)?.get(name) ?? Number.NaN;
  const fastestPeer = Math.max(...[...(rows.get(READ_ALL) ?? [])].map(([name, each]) => (name === OURS ? 0 : each)));
  return {
    oneWriter: rate(appendBy(1)) / rate(appendBy(1), MESSAGE_DB),
    readAll: rate(READ_ALL) / fastestPeer,
    processes: rate(APPEND_IN_PROCESSES) / rate(appendBy(MAX_WRITERS)),
  };
}

/**
 * All stores use the same server with durable commits, each in a separate database. They take turns in short rounds, so
 * that other programs on the machine affect all alike. Installs the packages of the peers if they are missing.
 */
async function comparePeers(root: string): Promise<readonly Row[]> {
  await installOnDemand(path.join(root, 'bench/peers'));
  const writer = await bundleForNode(path.join(root, 'bench/peer-writer.ts'));
  try {
    return await withTemporaryPostgres({ max_connections: '400' }, async (serverUrl) => {
      const writing = await openAll(root, serverUrl, 'write');
      const reading = await openAll(root, serverUrl, 'read');
      try {
        return [...(await measureWrites(root, writer.path, writing)), ...(await measureReads(reading))];
      } finally {
        for (const { store } of [...writing, ...reading]) await store.close();
      }
    });
  } finally {
    await writer.remove();
  }
}

/** Opens each store in a new database. */
async function openAll(root: string, serverUrl: string, purpose: string): Promise<readonly Compared[]> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  const compared: Compared[] = [];
  for (const [name, open] of await loadStores(root)) {
    const database = `bench_${purpose}_${name.replaceAll(/\W/gu, '_')}`;
    await client.query(`create database ${database}`);
    const url = new URL(serverUrl);
    url.pathname = `/${database}`;
    const connectionString = url.href;
    compared.push({
      name,
      connectionString,
      store: await open(connectionString, { connections: MAX_WRITERS, isNew: true }),
    });
  }
  await client.end();
  return compared;
}

/** Measures the rate of each store in rounds. Each round begins with another store, because the order may matter. */
async function measure(
  what: string,
  compared: readonly Compared[],
  rate: (one: Compared) => Promise<number>,
): Promise<Row> {
  const rounds = new Map<string, number[]>(compared.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < compared.length; turn += 1) {
      const one = compared[(round + turn) % compared.length];
      if (one) rounds.get(one.name)?.push(await rate(one));
    }
  }
  return { what, rates: new Map([...rounds].map(([name, values]) => [name, median(values)])) };
}

async function measureWrites(root: string, writer: string, compared: readonly Compared[]): Promise<readonly Row[]> {
  const append = ({ store }: Compared) => store.appendNew(createSampleEvent());
  for (const one of compared) await runClosedLoop(() => append(one), { workers: MAX_WRITERS, duration_ms: WARM_UP_ms });
  const rows: Row[] = [];
  for (const workers of [1, CONTENDERS, MAX_WRITERS])
    rows.push(
      await measure(appendBy(workers), compared, async (one) => {
        const { perSecond } = await runClosedLoop(() => append(one), { workers, duration_ms: ROUND_ms });
        return perSecond;
      }),
    );
  const processes = new Map<Compared, readonly ChildProcess[]>();
  for (const one of compared) processes.set(one, await startWriters(root, writer, one));
  rows.push(await measure(APPEND_IN_PROCESSES, compared, (one) => appendInProcesses(processes.get(one) ?? [])));
  for (const children of processes.values()) await endAll(children);
  rows.push(
    await measure(`append to one stream, ${CONTENDERS} writers with its version`, compared, ({ store }) =>
      contend(store),
    ),
  );
  return rows;
}

async function measureReads(compared: readonly Compared[]): Promise<readonly Row[]> {
  for (const { store } of compared)
    for (let filled = 0; filled < FILL_events; filled += FILL_BATCH_events)
      await store.fill(Array.from({ length: FILL_BATCH_events }, createSampleEvent));
  return [
    await measure(READ_ALL, compared, ({ store }) => rateOf(() => store.readAll())),
    await measure('rebuild of a projection', compared, ({ store }) => rateOf(() => store.rebuild(REBUILD_LIMIT_ms))),
  ];
}

/** Appends with writers that read the version of the stream after a conflict. Returns the appends per second. */
async function contend(store: PeerStore): Promise<number> {
  let appended = 0;
  const startedAt_ms = performance.now();
  const write = async () => {
    let version: unknown = null;
    while (performance.now() - startedAt_ms < ROUND_ms) {
      const result = await store.appendIf(createSampleEvent(), version);
      ({ version } = result);
      if (result.isAppended) appended += 1;
    }
  };
  await Promise.all(Array.from({ length: CONTENDERS }, write));
  return (appended * 1_000) / (performance.now() - startedAt_ms);
}

async function startWriters(
  root: string,
  writer: string,
  { name, connectionString }: Compared,
): Promise<readonly ChildProcess[]> {
  const args = [root, name, connectionString, String(MAX_WRITERS / PROCESSES), String(ROUND_ms)];
  const children = Array.from({ length: PROCESSES }, () => fork(writer, args));
  await Promise.all(children.map((child) => once(child, 'message')));
  return children;
}

/** Lets all processes append for one round. Returns the appended events per second. */
async function appendInProcesses(children: readonly ChildProcess[]): Promise<number> {
  const counts = await Promise.all(
    children.map(async (child) => {
      const finished = once(child, 'message') as Promise<[number]>;
      child.send('begin');
      return (await finished)[0];
    }),
  );
  return (counts.reduce((sum, count) => sum + count, 0) * 1_000) / ROUND_ms;
}

async function endAll(children: readonly ChildProcess[]): Promise<void> {
  await Promise.all(
    children.map(async (child) => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    }),
  );
}

async function rateOf(work: () => Promise<number>): Promise<number> {
  const startedAt_ms = performance.now();
  const events = await work();
  return (events * 1_000) / (performance.now() - startedAt_ms);
}

function isAhead({ rates }: Row): boolean {
  const ours = rates.get(OURS) ?? 0;
  return [...rates].every(([name, rate]) => name === OURS || rate < ours);
}

/** Prints a row of a table in Markdown: the rates in events per second, and whether our store is ahead. */
function printRow(row: Row): void {
  const rates = [...row.rates].map(([name, rate]) => `${name} ${Math.round(rate)}`);
  process.stdout.write(`| ${[row.what, ...rates, isAhead(row) ? 'ahead' : 'BEHIND'].join(' | ')} |\n`);
}
