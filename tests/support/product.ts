import { cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { HOUSE_PICTURES } from '@alpenglow/domain';
import { createLogger, readConfig, type Config } from '@alpenglow/infra';
import { Client } from 'pg';
import { composeProduct } from '../../infra/embedded/compose.ts';
import { copyDatabase, createTestDatabase, templateDatabase, type TestDatabase } from './database.ts';
import { eventually } from './eventually.ts';
import { WAIT_POSITION_IN_TESTS_ms } from './patience.ts';
import { recordServerLog } from './test-failures.ts';

export interface TestProduct {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** The Express application. */
  readonly handler: unknown;
  stop(): Promise<void>;
}

const checkout = path.resolve(import.meta.dirname, '../..');

/** Where a product keeps everything; whoever made these removes them. */
export interface Place {
  readonly databaseUrl: string;
  readonly dataDir: string;
}

/**
 * The whole product, every part real, in this process. It listens on a free port, without demo data, without limits on rates and without
 * two-step sign-in of the staff, and shows what was written however long that takes, unless `overrides` say otherwise. Without a `place`, it gets one that an earlier start has prepared.
 * With another `rootDir`, it serves the front ends of that folder.
 */
export async function startTestProduct(
  overrides: Partial<Config> = {},
  place?: Place,
  rootDir = checkout,
): Promise<TestProduct> {
  const { databaseUrl, dataDir, remove } = place
    ? { ...place, remove: () => Promise.resolve() }
    : await preparedPlace();
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

function compose(overrides: Partial<Config>, databaseUrl: string, rootDir: string) {
  const config: Config = {
    ...readConfig({ DEMO: 'off', PORT: '0' }),
    adminEmail: 'admin@example.com',
    staffTwoStep: false,
    rateLimits: false,
    waitPosition_ms: WAIT_POSITION_IN_TESTS_ms,
    ...overrides,
  };
  return composeProduct({
    config,
    databaseUrl,
    rootDir,
    version: 'test',
    log: createTestLogger(),
    progress: () => undefined,
  });
}

/** What a browser test's servers log is kept for when it fails; `TEST_LOG_LEVEL` shows it instead. */
function createTestLogger() {
  const shown = process.env['TEST_LOG_LEVEL'];
  if (shown !== undefined) return createLogger(shown);
  const kept = recordServerLog();
  return kept ? createLogger('debug', kept) : createLogger('fatal');
}

/** A place that the test removes. */
export interface TemporaryPlace extends Place {
  remove(): Promise<void>;
}

/** A new, empty database and an empty folder: what a first start finds. */
export async function freshPlace(): Promise<TemporaryPlace> {
  return placeOf(await createTestDatabase(), await newFolder());
}

/**
 * A new place as it is after the first start, with tables, secrets and house pictures. It is a copy: the first start takes seconds, and happens
 * once in a test run.
 */
export async function preparedPlace(): Promise<TemporaryPlace> {
  const template = await templateDatabase('product', prepareTemplate);
  const [database, dataDir] = await Promise.all([copyDatabase(template), newFolder()]);
  await cp(templateDir(), dataDir, { recursive: true });
  return placeOf(database, dataDir);
}

const newFolder = () => mkdtemp(path.join(os.tmpdir(), 'alpenglow-test-'));

function placeOf(database: TestDatabase, dataDir: string): TemporaryPlace {
  return {
    databaseUrl: database.connectionString,
    dataDir,
    async remove() {
      await database.drop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

function templateDir(): string {
  const runDir = process.env['TEST_RUN_DIR'];
  if (runDir === undefined) throw new Error('TEST_RUN_DIR is not set: run this through the test runner');
  return path.join(runDir, 'product-template');
}

/** Starts a product in a template and stops it when the workers have made every variant of the house pictures. */
async function prepareTemplate(databaseUrl: string): Promise<void> {
  await rm(templateDir(), { recursive: true, force: true });
  const product = await compose({ dataDir: templateDir() }, databaseUrl, checkout);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await eventually(async () => {
      const { rows } = await client.query<{ done: number }>(
        `select count(*)::int as done from es.events where type = 'PhotoVariantsMade'`,
      );
      if (rows[0]?.done !== HOUSE_PICTURES)
        throw new Error(`${rows[0]?.done ?? 0} of ${HOUSE_PICTURES} house pictures have variants`);
    });
  } finally {
    await client.end();
    await product.stop();
  }
}
