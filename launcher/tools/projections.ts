import { constants, setPriority } from 'node:os';
import path from 'node:path';
import {
  configuredEventStore,
  createResourceStack,
  createDataKeys,
  loadSecrets,
  selectSecrets,
  readConfig,
  requireSameEventStore,
  withPersonalData,
} from '@alpenglow/infra';
import { PROJECTIONS, rebuildProjection, resolveProjection, withShards } from '@alpenglow/projectors';
import { openDatabase, openToolPool } from './database.ts';
import { showProgress } from './progress.ts';
import { openStore } from './stores.ts';
import { EXIT_WRONG_USAGE, type ToolOptions } from './tool.ts';

const USAGE = `Usage: npm run projections -- list
       npm run projections -- rebuild <name>   one of: ${PROJECTIONS.map(({ name }) => name).join(', ')}`;

/**
 * `npm run projections`: lists all projections, or rebuilds the read model of one projection from the first event in a
 * new table. The product may be running. Returns the exit code.
 */
export async function main(
  args: readonly string[],
  { env, rootDir, ownsDataDir, signal }: ToolOptions,
): Promise<number> {
  const [command, name] = args;
  const projection = PROJECTIONS.find((candidate) => candidate.name === name);
  if (command === 'list' && args.length === 1) {
    for (const { name: listed, version } of PROJECTIONS) process.stdout.write(`${listed}\tversion ${version}\n`);
    return 0;
  }
  if (command !== 'rebuild' || !projection || args.length !== 2) {
    process.stderr.write(`${USAGE}\n`);
    return EXIT_WRONG_USAGE;
  }

  // The rebuild has a lower priority, so that it does not slow down requests to the product.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const config = readConfig(env);
  const [sharded = projection] = withShards([projection], config.projectionShards);
  const dataDir = path.resolve(rootDir, config.dataDir);
  const closing = createResourceStack();
  const progress = showProgress(projection.name, 'events');
  const started_ms = Date.now();
  const rateOf = (events: number, until_ms: number) =>
    Math.round(events / Math.max(0.001, (until_ms - started_ms) / 1000));
  try {
    const database = await openDatabase(config.databaseUrl, dataDir, ownsDataDir);
    closing.add(() => database.close());
    const pool = openToolPool(database.url, 4, closing);
    const { dataKeys } = selectSecrets(config.secrets, ['dataKeys']) ?? (await loadSecrets(dataDir));
    await requireSameEventStore(pool, configuredEventStore(config));
    const events = await openStore(config.eventStoreUrl ?? database.url, {
      closing,
      streamPrefix: config.eventStoreStreamPrefix,
    });
    const store = withPersonalData(events.store, createDataKeys(pool, dataKeys));
    let filled = { events: 0, at_ms: started_ms };
    const count = await rebuildProjection(
      await resolveProjection(pool, sharded),
      { store, pool },
      {
        ...(signal && { signal }),
        onProgress: ({ events: done, fraction }) => {
          if (done > filled.events) filled = { events: done, at_ms: Date.now() };
          progress.update(done, fraction);
        },
      },
    );
    progress.stop();
    const filledRate = rateOf(filled.events, filled.at_ms);
    process.stdout.write(
      `Rebuilt ${projection.name} from ${count} events in ${((Date.now() - started_ms) / 1000).toFixed(1)} s ` +
        `(${rateOf(count, Date.now())}/s, without indexes ${filledRate}/s)\n`,
    );
    return 0;
  } finally {
    progress.stop();
    await closing.closeAll();
  }
}
