import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { startEmbeddedPostgres } from '@alpenglow/launcher/postgres';
import { createServerFolder, removeServerFiles } from './server-folder.mjs';

const root = path.resolve(import.meta.dirname, '../..');
/**
 * All products of a test run share this Postgres server. Each product opens as many connections as in production, so
 * the server must allow many connections.
 */
const SERVER_SETTINGS = { max_connections: '600' };

/** Matches the temporary folder that the test commands have created for the whole run. */
const FOLDER_OF_RUN = /\/alpenglow-(?:run|engines)-\w+$/u;

/**
 * Starts one Postgres server for the whole run, on which tests create their databases. The server is deleted at the
 * end, also if the run is killed. If `TEST_POSTGRES_URL` is set, the run uses that server instead and does not stop it.
 * Failed browser tests save their screenshots and logs in the folder `TEST_FAILURES_DIR`.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Vitest calls this function once for each suite, but only the first call of a run starts a server.
  if (process.env['TEST_RUN_ID'] !== undefined) return undefined;
  const runDir = await createServerFolder('test');
  process.env['TEST_RUN_ID'] = randomBytes(4).toString('hex');
  process.env['TEST_RUN_DIR'] = runDir;
  // Without the test commands, all temporary files are in this folder, so that they are removed with it.
  if (!FOLDER_OF_RUN.test(os.tmpdir())) {
    process.env['TMPDIR'] = path.join(runDir, 'tmp');
    await mkdir(process.env['TMPDIR'], { mode: 0o711 });
  }
  const isSetByCaller = process.env['TEST_FAILURES_DIR'] !== undefined;
  const failures = (process.env['TEST_FAILURES_DIR'] ??= path.join(
    root,
    '.build/test-failures',
    new Date().toISOString().replaceAll(':', '-'),
  ));
  const postgres =
    process.env['TEST_POSTGRES_URL'] === undefined
      ? await startEmbeddedPostgres({ dataDir: runDir, durable: false, settings: SERVER_SETTINGS })
      : null;
  if (postgres) process.env['TEST_POSTGRES_URL'] = postgres.superuserUrl;
  return async () => {
    // If `npm test` has set `TEST_FAILURES_DIR`, it prints the path itself.
    if (!isSetByCaller && existsSync(failures))
      process.stdout.write(`Screenshots, consoles and server logs of failed browser tests: ${failures}\n`);
    await postgres?.stop();
    const folders = postgres ? [path.dirname(postgres.clusterDir), runDir] : [runDir];
    for (const folder of folders) await removeServerFiles(folder);
  };
}
