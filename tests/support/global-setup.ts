import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { startEmbeddedPostgres } from '@alpenglow/infra/embedded-postgres';

/**
 * Starts one Postgres for the whole run; tests create databases of their own on it (`support/database.ts`), and it is deleted at the end.
 * A server that `TEST_POSTGRES_URL` names is used instead and left running.
 */
export async function setup(): Promise<() => Promise<void>> {
  const runDir = await mkdtemp(path.join(tmpdir(), 'alpenglow-test-'));
  // As root, Postgres runs as a user who must be able to pass through.
  await chmod(runDir, 0o711);
  process.env['TEST_RUN_ID'] = randomBytes(4).toString('hex');
  process.env['TEST_RUN_DIR'] = runDir;
  const postgres = process.env['TEST_POSTGRES_URL'] === undefined ? await startEmbeddedPostgres({ dataDir: runDir, durable: false }) : null;
  if (postgres) process.env['TEST_POSTGRES_URL'] = postgres.connectionString;
  return async () => {
    await postgres?.stop();
    const folders = postgres ? [path.dirname(postgres.clusterDir), runDir] : [runDir];
    for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
}
