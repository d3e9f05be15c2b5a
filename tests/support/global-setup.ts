import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { startEmbeddedPostgres } from '@alpenglow/infra/embedded-postgres';

/**
 * One throw-away Postgres for the whole run; tests make databases of their own on it (`support/database.ts`).
 * A `TEST_POSTGRES_URL` that is already set is used instead and left running.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['TEST_POSTGRES_URL'] !== undefined) return undefined;
  const dataDir = await mkdtemp(path.join(tmpdir(), 'alpenglow-test-'));
  // As root, Postgres runs as a user who must be able to pass through.
  await chmod(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  process.env['TEST_POSTGRES_URL'] = postgres.connectionString;
  return async () => {
    await postgres.stop();
    await rm(path.dirname(postgres.clusterDir), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    await rm(dataDir, { recursive: true, force: true });
  };
}
