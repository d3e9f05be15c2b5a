import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createLogger, readConfig, type Config } from '@alpenglow/infra';
import { composeProduct } from '../../infra/embedded/compose.ts';
import { createTestDatabase } from './database.ts';

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
 * The whole product, every part real, in this process: on a fresh database and folder unless a place is given, on a free port, without
 * demo data, without limits on rates and without two-step sign-in of the staff unless asked for. With another `rootDir`, the front ends are those that lie there.
 */
export async function startTestProduct(overrides: Partial<Config> = {}, place?: Place, rootDir = checkout): Promise<TestProduct> {
  const { databaseUrl, dataDir, remove } = place ? { ...place, remove: () => Promise.resolve() } : await freshPlace();
  const config: Config = { ...readConfig({ DEMO: 'off', PORT: '0' }), adminEmail: 'admin@example.com', staffTwoStep: false, rateLimits: false, ...overrides, dataDir };
  const product = await composeProduct({
    config,
    databaseUrl,
    rootDir,
    version: 'test',
    log: createLogger(process.env['TEST_LOG_LEVEL'] ?? 'fatal'),
    progress: () => undefined,
  });
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

/** A new database and an empty folder. */
export async function freshPlace(): Promise<Place & { remove(): Promise<void> }> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-test-'));
  return {
    databaseUrl: database.connectionString,
    dataDir,
    async remove() {
      await database.drop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}
