import path from 'node:path';
import { createClosing, createLogger, migrate, openCore, readConfig } from '../src/index.ts';
import { seedDemo } from '../embedded/seed/seed.ts';
import { seedGenerated } from '../embedded/seed/seed-generated.ts';
import { openDatabase } from './database.ts';
import { showProgress } from './progress.ts';
import { readOptions, WRONG_USAGE, type ToolOptions } from './tool.ts';

const USAGE = `Usage: npm run seed                  the demo ads and accounts, where they are missing
       npm run seed -- --ads <count>   so many made-up ads, for trials at scale`;
const MAX_ADS = 10_000_000;

/**
 * `npm run seed`: puts up the demo where it is missing, or any number of made-up ads, through commands and events, while the product runs
 * or not. Called again it adds what is missing. Answers the exit code.
 */
export async function main(args: readonly string[], { env, rootDir, ownsDataDir, signal }: ToolOptions): Promise<number> {
  const options = readOptions(args, { ads: { type: 'string' } }, USAGE);
  const count = options?.ads === undefined ? null : Number(options.ads);
  if (!options || (count !== null && !(Number.isInteger(count) && count >= 1 && count <= MAX_ADS))) {
    if (options) process.stderr.write(`--ads: a whole number from 1 to ${MAX_ADS}\n\n${USAGE}\n`);
    return WRONG_USAGE;
  }
  const config = readConfig(env);
  const dataDir = path.resolve(rootDir, config.dataDir);
  const closing = createClosing();
  const progress = showProgress(count === null ? 'demo ads' : 'ads', 'ads');
  try {
    const database = await openDatabase(config.databaseUrl, dataDir, ownsDataDir);
    closing.add(() => database.close());
    await migrate(database.url, { migrationsDir: path.join(rootDir, 'infra/migrations') });
    const { commands, accountIdOf } = await openCore({ config, databaseUrl: database.url, dataDir, log: createLogger(config.logLevel), onStop: closing.add });
    const started_ms = Date.now();
    const deps = { commands, accountIdOf, onProgress: (done: number, of: number) => progress.update(done, done / of) };
    if (count === null) await seedDemo(deps);
    else await seedGenerated(deps, count, signal);
    progress.stop();
    const seconds = (Date.now() - started_ms) / 1000;
    process.stdout.write(count === null ? 'The demo is up\n' : `${count} ads are up, in ${seconds.toFixed(1)} s (${Math.round(count / seconds)}/s)\n`);
    return 0;
  } finally {
    progress.stop();
    await closing.closeAll();
  }
}
