import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { findEventStoreProgram, NO_EVENTSTOREDB } from '../launcher/engines/eventstoredb.mjs';
import { DISRUPTIONS, findDisruptions } from './nemesis.ts';
import { renderPage } from './page.ts';
import { summarize, type PartSummary } from './report.ts';
import { runDefects } from './run-defects.ts';
import { DEFAULT_CLIENTS, runPart } from './run-part.ts';

const DEFAULT_MINUTES = 10;
const PART_MINUTES = 10;
const CHECK_INTERVAL_ms = 10_000;
/** The product enqueues a lost job again after two to three minutes. */
const SETTLE_LIMIT_ms = 300_000;
const SELF_TEST = '--faults';
const USAGE = `Usage: npm run prove [-- option …]
  --minutes <n>      duration, ${DEFAULT_MINUTES} by default
  --operations <n>   number of calls instead of a duration; continues a run with the same seed
  --seed <n>         repeats a schedule of disruptions
  --each <n>         processes of each service, 2 by default
  --clients <n>      clients that write at the same time, ${DEFAULT_CLIENTS} by default
  --embedded         without Kafka and Redis
  --event-store <s>  esdb: events in EventStoreDB or KurrentDB; postgres by default
  --only <kinds>     only these disruptions, or none: ${DISRUPTIONS.join(',')}
  ${SELF_TEST}           checks that the checker finds each seeded defect; --only selects by name or number`;

const print = (line: string) => process.stdout.write(`${line}\n`);

/** An option that does not exist or has an invalid value. */
class UsageError extends Error {}

/**
 * Runs the checker. Returns the exit code. The last line of the output is `passed` or `failed` and agrees with it. If
 * the run needs EventStoreDB and there is none, nothing is checked, the last line says so, and the exit code is 0.
 */
export async function prove(root: string, args: readonly string[]): Promise<number> {
  let isPassed = false;
  try {
    const options = parseProveOptions(args);
    if (options.eventStore === 'esdb' && !(await hasEventStoreDb())) {
      print(`not run: ${NO_EVENTSTOREDB}`);
      return 0;
    }
    isPassed = await run(root, options);
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`${error.message}\n${USAGE}\n`);
      return 2;
    }
    process.stderr.write(`${(error as Error).stack ?? String(error)}\n`);
  }
  print(isPassed ? 'passed' : 'failed');
  return isPassed ? 0 : 1;
}

/** The options of the command line with their checked values. */
export interface ProveOptions {
  readonly minutes: number;
  /** Number of calls, or null if the duration is the limit. */
  readonly operations: number | null;
  readonly seed: number;
  readonly each: number;
  readonly clients: number;
  readonly isEmbedded: boolean;
  /** Kinds of disruptions, or names or numbers of defects if `testsItself` is true. Null means all. */
  readonly only: readonly string[] | null;
  readonly testsItself: boolean;
  /** Events are in EventStoreDB. By default, they are in Postgres. */
  readonly eventStore?: 'esdb';
}

/** Returns true if there is an EventStoreDB for tests, or its program is on the `PATH`. */
const hasEventStoreDb = async () =>
  process.env['TEST_EVENTSTORE_URL'] !== undefined || (await findEventStoreProgram()) !== null;

/** Parses the command line. Throws if an option or its value is invalid, because such a run would prove nothing. */
export function parseProveOptions(args: readonly string[]): ProveOptions {
  const testsItself = args.includes(SELF_TEST);
  let values;
  try {
    ({ values } = parseArgs({
      args: args.filter((arg) => arg !== SELF_TEST),
      options: {
        minutes: { type: 'string' },
        operations: { type: 'string' },
        seed: { type: 'string' },
        each: { type: 'string', default: '2' },
        clients: { type: 'string', default: String(DEFAULT_CLIENTS) },
        embedded: { type: 'boolean', default: false },
        only: { type: 'string' },
        'event-store': { type: 'string', default: 'postgres' },
      },
    }));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const numberOf = (name: 'minutes' | 'operations' | 'seed' | 'each' | 'clients', otherwise: number) => {
    const value = Number(values[name] ?? otherwise);
    const isValid = name === 'minutes' ? value > 0 : Number.isSafeInteger(value) && value >= (name === 'seed' ? 0 : 1);
    if (!isValid) throw new UsageError(`--${name} ${values[name]} is not a valid number`);
    return value;
  };
  const eventStore = values['event-store'];
  if (!['esdb', 'postgres'].includes(eventStore)) throw new UsageError(`--event-store ${eventStore} is not supported`);
  const usesEventStoreDb = eventStore === 'esdb';
  if (usesEventStoreDb && testsItself) throw new UsageError(`${SELF_TEST} supports only events in Postgres`);
  const only = values.only === 'none' ? [] : (values.only?.split(',') ?? null);
  const known = findDisruptions(usesEventStoreDb);
  const unknown = testsItself ? [] : (only ?? []).filter((kind) => !known.includes(kind));
  if (unknown.length > 0) throw new UsageError(`Unknown disruption: ${unknown.join()}`);
  const hasOperations = values.operations !== undefined;
  return {
    minutes: values.minutes === undefined && hasOperations ? Infinity : numberOf('minutes', DEFAULT_MINUTES),
    operations: hasOperations ? numberOf('operations', 1) : null,
    seed: numberOf('seed', Date.now() % 1_000_000),
    each: numberOf('each', 1),
    clients: numberOf('clients', 1),
    isEmbedded: values.embedded,
    only,
    testsItself,
    ...(usesEventStoreDb && { eventStore: 'esdb' as const }),
  };
}

async function run(root: string, options: ProveOptions): Promise<boolean> {
  const { minutes, operations, seed, each, clients, isEmbedded, only } = options;
  const usesEventStoreDb = options.eventStore === 'esdb';
  if (options.testsItself) {
    const { runs, missed } = await runDefects(root, only ?? [''], seed);
    if (runs === 0) throw new UsageError('No defect has such a name');
    return missed === 0;
  }
  const most = operations ?? Infinity;
  const dir = path.join(root, '.build/prove', String(seed));
  await mkdir(dir, { recursive: true });

  const parts: PartSummary[] = [];
  const done = () => parts.reduce((all, part) => all + part.operations, 0);
  let remaining_ms = minutes * 60_000;
  const anomalies = () => parts.reduce((all, part) => all + part.anomalies, 0);
  // A part with anomalies ends early, so that the run would repeat the same failure in ever more parts.
  for (let number = 1; remaining_ms > 0 && done() < most && anomalies() === 0; number += 1) {
    const partDir = path.join(dir, `part-${number}`);
    const file = path.join(partDir, 'summary.json');
    // Only a run with a number of operations is continued. A duration is always new.
    if (operations !== null && existsSync(file)) {
      parts.push(JSON.parse(await readFile(file, 'utf8')) as PartSummary);
      continue;
    }
    const duration_ms = Math.min(remaining_ms, PART_MINUTES * 60_000);
    const result = await runPart({
      root,
      dir: partDir,
      seed: seed + number - 1,
      duration_ms,
      operations: most - done(),
      each,
      clients,
      isEmbedded,
      kinds: only ?? findDisruptions(usesEventStoreDb),
      usesEventStoreDb,
      checkInterval_ms: CHECK_INTERVAL_ms,
      settleLimit_ms: SETTLE_LIMIT_ms,
      onStep: (step) => print(`part ${number}: ${step}`),
    });
    remaining_ms -= duration_ms;
    const page = path.join(partDir, 'timeline.html');
    const { lines, summary } = summarize(result, page);
    for (const line of lines) print(line);
    await writeFile(page, renderPage(result));
    await writeFile(file, JSON.stringify(summary, null, 2));
    parts.push(summary);
    // Without calls, the product did not work at all, and the next parts would not end.
    if (summary.operations === 0) throw new Error(`Part ${number} has no calls`);
  }
  print(`seed ${seed}: ${done()} operations in ${parts.length} parts, ${anomalies()} anomalies`);
  return anomalies() === 0;
}
