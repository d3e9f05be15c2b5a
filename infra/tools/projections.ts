import { constants, setPriority } from 'node:os';
import path from 'node:path';
import {
  createClosing,
  createDataKeys,
  createPool,
  eventStoreKind,
  loadSecrets,
  readConfig,
  refuseOtherEventStore,
  withPersonalData,
} from '../src/index.ts';
import { PROJECTIONS, rebuildProjection } from '@alpenglow/projectors';
import { SingleBar } from 'cli-progress';
import { APPLICATION_NAME, openDatabase } from './database.ts';
import { openStore } from './stores.ts';
import { WRONG_USAGE, type ToolOptions } from './tool.ts';

const USAGE = `Usage: npm run projections -- list
       npm run projections -- rebuild <name>   one of: ${PROJECTIONS.map(({ name }) => name).join(', ')}`;

/**
 * `npm run projections`: rebuilds a projection from the first event beside the live table, while the product runs or not.
 * Answers the exit code.
 */
export async function main(
  args: readonly string[],
  { env, rootDir, ownsDataDir, signal }: ToolOptions,
): Promise<number> {
  const [command, name] = args;
  const projection = PROJECTIONS.find((one) => one.name === name);
  if (command === 'list' && args.length === 1) {
    for (const one of PROJECTIONS) process.stdout.write(`${one.name}\tversion ${one.version}\n`);
    return 0;
  }
  if (command !== 'rebuild' || !projection || args.length !== 2) {
    process.stderr.write(`${USAGE}\n`);
    return WRONG_USAGE;
  }

  // Whoever reads the product comes first.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const config = readConfig(env);
  const dataDir = path.resolve(rootDir, config.dataDir);
  const closing = createClosing();
  const bar = new SingleBar({
    format: `${projection.name} {bar} {percentage}% | {events} events | {rate}/s`,
    hideCursor: true,
    noTTYOutput: true,
    notTTYSchedule: 1_000,
  });
  const started_ms = Date.now();
  const rateOf = (events: number) => Math.round(events / Math.max(0.001, (Date.now() - started_ms) / 1000));
  try {
    const database = await openDatabase(config.databaseUrl, dataDir, ownsDataDir);
    closing.add(() => database.close());
    const pool = createPool({
      connectionString: database.url,
      max: 4,
      applicationName: APPLICATION_NAME,
      statementTimeout_ms: 0,
    });
    closing.add(() => pool.end());
    const { dataKeys } = config.secrets ?? (await loadSecrets(dataDir));
    await refuseOtherEventStore(pool, eventStoreKind(config.eventStoreUrl));
    const events = await openStore(config.eventStoreUrl ?? database.url, { closing });
    const store = withPersonalData(events.store, createDataKeys(pool, dataKeys));
    bar.start(1_000, 0, { events: 0, rate: 0 });
    let filled = { events: 0, at_ms: started_ms };
    const count = await rebuildProjection(
      projection,
      { store, pool },
      {
        ...(signal && { signal }),
        onProgress: ({ events: done, fraction }) => {
          if (done > filled.events) filled = { events: done, at_ms: Date.now() };
          bar.update(Math.round(fraction * 1_000), { events: done, rate: rateOf(done) });
        },
      },
    );
    bar.stop();
    process.stdout.write(
      `Rebuilt ${projection.name} from ${count} events in ${((Date.now() - started_ms) / 1000).toFixed(1)} s (${rateOf(count)}/s, without indexes ${Math.round(filled.events / Math.max(0.001, (filled.at_ms - started_ms) / 1000))}/s)\n`,
    );
    return 0;
  } finally {
    bar.stop();
    await closing.closeAll();
  }
}
