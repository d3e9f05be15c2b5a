import { availableParallelism } from 'node:os';
import path from 'node:path';
import { createClosing, createLogger, createPool, migrate, openCore, readConfig } from '../src/index.ts';
import { seedArticles } from '../embedded/seed/seed-articles.ts';
import { seedCommunity } from '../embedded/seed/seed-community.ts';
import { seedDemo, type SeedDependencies } from '../embedded/seed/seed.ts';
import { seedGenerated } from '../embedded/seed/seed-generated.ts';
import { APPLICATION_NAME, openDatabase, type OpenDatabase } from './database.ts';
import { showProgress } from './progress.ts';
import { seedInThreads } from './seed-threads.ts';
import { flushCommits, withSetting } from './stores.ts';
import { readOptions, WRONG_USAGE, type ToolOptions } from './tool.ts';

export { seedShare } from './seed-threads.ts';

const USAGE = `Usage: npm run seed                  the demo ads, accounts, articles and threads, where they are missing
       npm run seed -- --ads <count>   so many made-up ads, for trials at scale`;
const MAX_ADS = 10_000_000;
/** Fewer are up before a thread has loaded its program. */
const WORTH_THREADS_ads = 20_000;
/** Appends stand in one line; more threads would only wait in it. */
const MAX_THREADS = 4;

/**
 * `npm run seed`: puts up the demo where it is missing, or any number of made-up ads, through commands and events, while the product runs
 * or not. Called again it adds what is missing. What it says is up is on the disk. Answers the exit code.
 * `bundle` is where Node finds this module, for the threads.
 */
export async function main(
  args: readonly string[],
  { env, rootDir, ownsDataDir, signal }: ToolOptions,
  bundle = import.meta.url,
): Promise<number> {
  const options = readOptions(args, { ads: { type: 'string' } }, USAGE);
  const count = options?.ads === undefined ? null : Number(options.ads);
  if (!options || (count !== null && !(Number.isInteger(count) && count >= 1 && count <= MAX_ADS))) {
    if (options) process.stderr.write(`--ads: a whole number from 1 to ${MAX_ADS}\n\n${USAGE}\n`);
    return WRONG_USAGE;
  }
  const config = readConfig(env);
  const dataDir = path.resolve(rootDir, config.dataDir);
  const isBulk = count !== null && count >= WORTH_THREADS_ads;
  const closing = createClosing();
  const progress = showProgress(count === null ? 'demo ads' : 'ads', 'ads');
  try {
    const database = await openDatabase(config.databaseUrl, dataDir, ownsDataDir, { isBulk });
    closing.add(() => database.close());
    await migrate(database.url, { migrationsDir: path.join(rootDir, 'infra/migrations') });
    // Nobody reads along in a database of the tool's own, so nobody can have seen what a crash takes back; called again, it adds that.
    const databaseUrl = database.isOwn ? withSetting(database.url, 'synchronous_commit=off') : database.url;
    const { commands, accountIdOf } = await openCore({
      config,
      databaseUrl,
      dataDir,
      log: createLogger(config.logLevel),
      onStop: closing.add,
    });
    const started_ms = Date.now();
    const onProgress = (done: number, of: number) => progress.update(done, done / of);
    if (count === null) await seedAll({ commands, accountIdOf, onProgress });
    else if (isBulk)
      await seedInThreads(
        {
          env,
          databaseUrl,
          dataDir,
          count,
          threads: Math.min(availableParallelism(), MAX_THREADS),
          signal,
          onProgress,
        },
        bundle,
      );
    else await seedGenerated({ commands, accountIdOf, onProgress }, count, { signal });
    if (database.isOwn) await flush(database);
    progress.stop();
    const seconds = (Date.now() - started_ms) / 1000;
    process.stdout.write(
      count === null
        ? 'The demo is up\n'
        : `${count} ads are up, in ${seconds.toFixed(1)} s (${Math.round(count / seconds)}/s)\n`,
    );
    return 0;
  } finally {
    progress.stop();
    await closing.closeAll();
  }
}

/** The demo's ads come first: their posters write in the community. */
async function seedAll(deps: SeedDependencies): Promise<void> {
  await seedDemo(deps);
  await seedArticles(deps);
  await seedCommunity(deps);
}

async function flush({ url }: OpenDatabase): Promise<void> {
  const pool = createPool({ connectionString: url, max: 1, applicationName: APPLICATION_NAME, statementTimeout_ms: 0 });
  try {
    await flushCommits(pool);
  } finally {
    await pool.end();
  }
}
