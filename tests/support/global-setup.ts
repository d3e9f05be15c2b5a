import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { startEmbeddedPostgres } from '@alpenglow/infra/embedded-postgres';

const root = path.resolve(import.meta.dirname, '../..');
/** Every worker has products of its own on the one server, each with as many connections as a product has on a server of its own. */
const SERVER_SETTINGS = { max_connections: '600' };

/**
 * Starts one Postgres for the whole run; tests create databases of their own on it (`support/database.ts`), and it is deleted at the end.
 * A server that `TEST_POSTGRES_URL` names is used instead and left running.
 * `TEST_FAILURES_DIR` is the folder for records of failed browser tests, created by the first of them (`support/test-failures.ts`).
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Vitest calls this for each suite of a run.
  if (process.env['TEST_RUN_ID'] !== undefined) return undefined;
  const runDir = await mkdtemp(path.join(tmpdir(), 'alpenglow-test-'));
  // As root, Postgres runs as a user who must be able to pass through.
  await chmod(runDir, 0o711);
  process.env['TEST_RUN_ID'] = randomBytes(4).toString('hex');
  process.env['TEST_RUN_DIR'] = runDir;
  const isNamed = process.env['TEST_FAILURES_DIR'] !== undefined;
  const failures = (process.env['TEST_FAILURES_DIR'] ??= path.join(
    root,
    '.build/test-failures',
    new Date().toISOString().replaceAll(':', '-'),
  ));
  const postgres =
    process.env['TEST_POSTGRES_URL'] === undefined
      ? await startEmbeddedPostgres({ dataDir: runDir, durable: false, settings: SERVER_SETTINGS })
      : null;
  if (postgres) process.env['TEST_POSTGRES_URL'] = postgres.connectionString;
  return async () => {
    // `npm test` names the folder, and prints its name as one of its last lines.
    if (!isNamed && existsSync(failures))
      process.stdout.write(`Screenshots, consoles and server logs of failed browser tests: ${failures}\n`);
    await postgres?.stop();
    const folders = postgres ? [path.dirname(postgres.clusterDir), runDir] : [runDir];
    for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  };
}
