import path from 'node:path';
import { createDataKeys, createPool, createPostgresEventStore, loadSecrets, readConfig, withPersonalData } from '../src/index.ts';
import { PROJECTIONS, rebuildProjection } from '@alpenglow/projectors';
import { SingleBar } from 'cli-progress';
import { findRunningPostgres, startEmbeddedPostgres } from './postgres.ts';

const USAGE = `Usage: npm run projections -- list
       npm run projections -- rebuild <name>   one of: ${PROJECTIONS.map(({ name }) => name).join(', ')}`;

export interface ToolOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly rootDir: string;
  /** Whether DATA_DIR is locked for this tool; otherwise another process is at work there. */
  readonly ownsDataDir: boolean;
}

/**
 * `npm run projections`: rebuilds a projection from the first event beside the live table, while the product runs or not.
 * Answers the exit code.
 */
export async function main(args: readonly string[], { env, rootDir, ownsDataDir }: ToolOptions): Promise<number> {
  const [command, name] = args;
  const projection = PROJECTIONS.find((one) => one.name === name);
  if (command === 'list' && args.length === 1) {
    for (const one of PROJECTIONS) process.stdout.write(`${one.name}\tversion ${one.version}\n`);
    return 0;
  }
  if (command !== 'rebuild' || !projection || args.length !== 2) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }

  const config = readConfig(env);
  const dataDir = path.resolve(rootDir, config.dataDir);
  const database = await openDatabase(config.databaseUrl, dataDir, ownsDataDir);
  const pool = createPool({ connectionString: database.url, max: 4, applicationName: 'alpenglow-projections', statementTimeout_ms: 0 });
  const secrets = await loadSecrets(dataDir);
  const store = withPersonalData(createPostgresEventStore({ pool, connectionString: database.url }), createDataKeys(pool, secrets.dataKeys));
  const bar = new SingleBar({ format: `${projection.name} {bar} {percentage}% | {events} events | {rate}/s`, hideCursor: true, noTTYOutput: true, notTTYSchedule: 1_000 });
  const started_ms = Date.now();
  const rateOf = (events: number) => Math.round(events / Math.max(0.001, (Date.now() - started_ms) / 1000));
  try {
    bar.start(1_000, 0, { events: 0, rate: 0 });
    const events = await rebuildProjection(projection, { store, pool }, {
      onProgress: ({ events: done, fraction }) => bar.update(Math.round(fraction * 1_000), { events: done, rate: rateOf(done) }),
    });
    bar.stop();
    process.stdout.write(`Rebuilt ${projection.name} from ${events} events in ${((Date.now() - started_ms) / 1000).toFixed(1)} s\n`);
    return 0;
  } finally {
    bar.stop();
    await store.close();
    await pool.end();
    await database.close();
  }
}

/** The configured database; else the embedded one, which is started for the time being where nobody else is about to. */
async function openDatabase(configured: string | null, dataDir: string, ownsDataDir: boolean): Promise<{ readonly url: string; close(): Promise<void> }> {
  const running = configured ?? (await findRunningPostgres(dataDir));
  if (running !== null) return { url: running, close: () => Promise.resolve() };
  if (!ownsDataDir) throw new Error('Alpenglow is just starting; try again in a moment.');
  const postgres = await startEmbeddedPostgres({ dataDir });
  return { url: postgres.connectionString, close: () => postgres.stop() };
}
