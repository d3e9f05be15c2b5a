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

const rootDir = path.resolve(import.meta.dirname, '../..');

/** The whole product, every part real, in this process: on a fresh database and folder, on a free port, without demo data unless asked for. */
export async function startTestProduct(overrides: Partial<Config> = {}): Promise<TestProduct> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-test-'));
  const config: Config = { ...readConfig({ DEMO: 'off', PORT: '0' }), adminEmail: 'admin@example.com', ...overrides, dataDir };
  const product = await composeProduct({
    config,
    databaseUrl: database.connectionString,
    rootDir,
    version: 'test',
    log: createLogger(process.env['TEST_LOG_LEVEL'] ?? 'fatal'),
    progress: () => undefined,
  });
  const port = await product.listen();
  return {
    url: `http://127.0.0.1:${port}`,
    databaseUrl: database.connectionString,
    dataDir,
    handler: product.handler,
    async stop() {
      await product.stop();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}
