import { availableParallelism } from 'node:os';
import path from 'node:path';
import {
  createResourceStack,
  createLogger,
  createPool,
  migrate,
  openBlobStore,
  openAccounts,
  readConfig,
} from '@alpenglow/infra';
import { addAdViews } from '@alpenglow/query-api';
import { seedArticles } from '../seed/seed-articles.ts';
import { seedCases, type SeedCasesDependencies } from '../seed/seed-cases.ts';
import { seedCommunity } from '../seed/seed-community.ts';
import { seedDemo, type SeedDemoDependencies } from '../seed/seed-demo.ts';
import { seedGeneratedAds } from '../seed/seed-generated-ads.ts';
import { APPLICATION_NAME, openDatabase, type OpenDatabase } from './database.ts';
import { showProgress } from './progress.ts';
import { seedInThreads } from './seed-threads.ts';
import { flushCommits, withPostgresSetting } from './stores.ts';
import { readOptions, EXIT_WRONG_USAGE, ToolError, type ToolOptions } from './tool.ts';

export { seedShare } from './seed-threads.ts';

const USAGE = `Usage: npm run seed                  creates missing demo ads, accounts, articles and threads
       npm run seed -- --ads <count>   creates this number of generated ads, for trials at scale`;
const MAX_ADS = 10_000_000;
/** Minimum number of ads for the use of threads. With fewer ads, loading the program in each thread takes longer. */
const MIN_FOR_THREADS_ads = 20_000;
/** Maximum number of threads. Appends run one after the other, so further threads only wait. */
const MAX_THREADS = 4;

/**
 * `npm run seed`: creates the demo data or a number of generated ads. Existing data is not created again. The product
 * may be running. Throws `ToolError` for demo data if the demo is off. When this function returns, the ads are on the
 * disk. Returns the exit code. `bundle` is the URL of this module, which worker threads import.
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
    return EXIT_WRONG_USAGE;
  }
  const config = readConfig(env);
  // Everybody knows the password of the demo accounts, one of which may be the admin.
  if (count === null && !config.isDemo)
    throw new ToolError(
      'The demo data has accounts with a public password, so it needs DEMO=on. ' +
        'Generated ads have none: npm run seed -- --ads <count>',
    );
  const dataDir = path.resolve(rootDir, config.dataDir);
  const isBulk = count !== null && count >= MIN_FOR_THREADS_ads;
  const closing = createResourceStack();
  const progress = showProgress(count === null ? 'demo ads' : 'ads', 'ads');
  try {
    const database = await openDatabase(config.databaseUrl, dataDir, ownsDataDir, { isBulk });
    closing.add(() => database.close());
    await migrate(database.url, { migrationsDir: path.join(rootDir, 'infra/migrations') });
    // If the tool has started the database itself, no service is using it. Commits may then return before they are on
    // the disk. If a crash loses ads, the next call creates them again.
    const databaseUrl = database.isOwn ? withPostgresSetting(database.url, 'synchronous_commit=off') : database.url;
    const context = { config, databaseUrl, dataDir, log: createLogger(config.logLevel), onStop: closing.add };
    const core = await openAccounts(context);
    const { commands, createAccountId } = core;
    const started_ms = Date.now();
    const onProgress = (done: number, of: number) => progress.update(done, done / of);
    if (count === null)
      await seedAll({
        ...core,
        blobs: await openBlobStore(context, { isNeeded: true }),
        addViews: (views) => addAdViews(core.pool, views),
        onProgress,
      });
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
    else await seedGeneratedAds({ commands, createAccountId, onProgress }, count, { signal });
    if (database.isOwn) await flush(database);
    progress.stop();
    const seconds = (Date.now() - started_ms) / 1000;
    process.stdout.write(
      count === null
        ? 'The demo is ready\n'
        : `${count} ads created in ${seconds.toFixed(1)} s (${Math.round(count / seconds)}/s)\n`,
    );
    return 0;
  } finally {
    progress.stop();
    await closing.closeAll();
  }
}

/**
 * Creates the demo data. The demo ads are created first, because the accounts that post them are the authors of the
 * demo threads. The moderation cases are created last, because they are about the other data.
 */
async function seedAll(deps: SeedDemoDependencies & SeedCasesDependencies): Promise<void> {
  await seedDemo(deps);
  await seedArticles(deps);
  await seedCommunity(deps);
  await seedCases(deps);
}

async function flush({ url }: OpenDatabase): Promise<void> {
  const pool = createPool({ connectionString: url, max: 1, applicationName: APPLICATION_NAME, statementTimeout_ms: 0 });
  try {
    await flushCommits(pool);
  } finally {
    await pool.end();
  }
}
