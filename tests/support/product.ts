import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { BASIC_STOCK_PICTURE_COUNT, STOCK_PICTURE_COUNT } from '@alpenglow/domain';
import { createLogger, readConfig, type Config, type PasswordCost } from '@alpenglow/infra';
import { Client } from 'pg';
import { composeProduct, type ComposeOptions } from '../../launcher/embedded/compose.ts';
import { copyDatabase, createTestDatabase, templateDatabase, type TestDatabase } from './database.ts';
import { eventually } from './eventually.ts';
import { UPLOAD_WAIT_IN_TESTS_ms, WAIT_POSITION_IN_TESTS_ms } from './max-wait.ts';
import { removeServerFiles } from './server-folder.mjs';
import { recordServerLog } from './test-failures.ts';

/** The token with which tests read `/metrics`. */
export const METRICS_TOKEN = 'metrics-token-of-the-tests';

/** The lowest cost of argon2. With the cost of the product, a tenth of the processor time of the tests is hashing. */
export const PASSWORD_COST_IN_TESTS: PasswordCost = { memory_KiB: 8, passes: 1 };

export interface TestProduct {
  /** URL of the form `http://127.0.0.1:port`. */
  readonly url: string;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** Express application of the product. */
  readonly handler: unknown;
  stop(): Promise<void>;
}

const checkout = path.resolve(import.meta.dirname, '../..');

/** Settings that replace those of tests. */
export type ProductOptions = Partial<Config> & Pick<ComposeOptions, 'reviewWait_ms'>;

/** Database and data folder of a product. The code that creates them must also remove them. */
export interface DataLocation {
  readonly databaseUrl: string;
  readonly dataDir: string;
}

/**
 * Starts the complete product in this process, on a free port. By default, it has no demo data, no rate limits and no
 * two-step sign-in, and new accounts may review ads without a wait. `place` is the location of its data, by default a
 * copy of a prepared installation. The product serves the front ends in `rootDir`.
 */
export async function startTestProduct(
  overrides: ProductOptions = {},
  place?: DataLocation,
  rootDir = checkout,
): Promise<TestProduct> {
  const { databaseUrl, dataDir, remove } = place
    ? { ...place, remove: () => Promise.resolve() }
    : await createPreparedLocation(overrides.isDemo);
  const product = await compose({ ...overrides, dataDir }, databaseUrl, rootDir);
  const port = await product.listen();
  return {
    url: `http://127.0.0.1:${port}`,
    databaseUrl,
    dataDir,
    handler: product.handler,
    async stop() {
      await product.stop();
      await remove();
    },
  };
}

function compose({ reviewWait_ms = 0, ...overrides }: ProductOptions, databaseUrl: string, rootDir: string) {
  const config: Config = {
    // `npm test` deploys the front ends into this folder.
    ...readConfig({ DEMO: 'off', PORT: '0', MF_DIR: process.env['MF_DIR'] }),
    adminEmail: 'admin@example.com',
    staffTwoStep: false,
    rateLimits: false,
    metricsToken: METRICS_TOKEN,
    waitPosition_ms: WAIT_POSITION_IN_TESTS_ms,
    uploadWait_ms: UPLOAD_WAIT_IN_TESTS_ms,
    ...overrides,
  };
  return composeProduct({
    config,
    databaseUrl,
    rootDir,
    version: 'test',
    log: createTestLogger(),
    passwordCost: PASSWORD_COST_IN_TESTS,
    reviewWait_ms,
    progress: () => undefined,
  });
}

/**
 * Creates the logger of a product. Browser tests save its log when they fail. If `TEST_LOG_LEVEL` is set, the log is
 * printed instead.
 */
function createTestLogger() {
  const logLevel = process.env['TEST_LOG_LEVEL'];
  if (logLevel !== undefined) return createLogger(logLevel);
  const recordedLog = recordServerLog();
  return recordedLog ? createLogger('debug', recordedLog) : createLogger('fatal');
}

/** Database and data folder that the test must remove with `remove`. */
export interface TemporaryDataLocation extends DataLocation {
  remove(): Promise<void>;
}

/** Creates an empty database and an empty data folder, as before the first start of a product. */
export async function createEmptyLocation(): Promise<TemporaryDataLocation> {
  return placeOf(await createTestDatabase(), await newFolder());
}

/**
 * Creates a database and a data folder as after the first start, with tables, secrets and stock pictures. With
 * `isDemo`, they also contain the demo data. Both are copies, because a first start takes several seconds.
 */
export async function createPreparedLocation(isDemo = false): Promise<TemporaryDataLocation> {
  const folder = templateDir(isDemo ? 'demo' : 'product');
  const template = await templateDatabase(path.basename(folder), (url) => prepareTemplate(url, folder, isDemo));
  const [database, dataDir] = await Promise.all([copyDatabase(template), newFolder()]);
  await cp(folder, dataDir, { recursive: true });
  return placeOf(database, dataDir);
}

const newFolder = () => mkdtemp(path.join(os.tmpdir(), 'alpenglow-test-'));

function placeOf(database: TestDatabase, dataDir: string): TemporaryDataLocation {
  return {
    databaseUrl: database.connectionString,
    dataDir,
    async remove() {
      await database.drop();
      await removeServerFiles(dataDir);
    },
  };
}

function templateDir(name: string): string {
  const runDir = process.env['TEST_RUN_DIR'];
  if (runDir === undefined) throw new Error('TEST_RUN_DIR is not set. Run the tests with `npm test`');
  return path.join(runDir, 'templates', name);
}

/** Runs the first start of a product in the template folder, until all its pictures have their variants. */
async function prepareTemplate(databaseUrl: string, folder: string, isDemo: boolean): Promise<void> {
  const stockPictures = isDemo ? STOCK_PICTURE_COUNT : BASIC_STOCK_PICTURE_COUNT;
  await rm(folder, { recursive: true, force: true });
  const product = await compose({ dataDir: folder, isDemo }, databaseUrl, checkout);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await eventually(async () => {
      const { rows } = await client.query<{ uploaded: number; done: number }>(
        `select count(*) filter (where type = 'MediaUploaded')::int as uploaded,
                count(*) filter (where type = 'PhotoVariantsMade')::int as done
         from es.events`,
      );
      const { uploaded = 0, done = 0 } = rows[0] ?? {};
      if (uploaded < stockPictures || done < uploaded) throw new Error(`${done} of ${uploaded} pictures have variants`);
    });
  } finally {
    await client.end();
    await product.stop();
  }
}
