// @ts-check
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { findFreePort } from '../cluster/free-port.mjs';
import { BackingServiceUnavailable, createBackingService } from './engine.mjs';

/**
 * Maximum number of connections. The setting of the embedded Postgres is too low here, because each of the many
 * processes has its own connection pool.
 */
const MAX_CONNECTIONS = 300;

/**
 * Creates a Postgres backing service with the programs of the embedded Postgres and with settings that prevent data
 * loss in a crash. Throws `BackingServiceUnavailable` if there are no programs for this platform.
 * @param {{ dir: string }} options   `dir`: folder for data and log. Root runs Postgres as another user. If this user
 * cannot reach `dir`, the data is in a shared folder
 * @returns {Promise<import('./engine.mjs').BackingService>}
 */
export async function createPostgres({ dir }) {
  const {
    createCluster,
    DATABASE,
    fileExists,
    prepareHome,
    findReadyPort,
    ROLE,
    serverArguments,
    serverEnvironment,
    stopLeftoverServer,
  } = await loadParts();
  await mkdir(dir, { recursive: true });
  const { folder, as, binaries } = await prepareHome(dir, null).catch((/** @type {Error} */ error) => {
    throw new BackingServiceUnavailable(`Postgres: ${error.message}`);
  });
  const clusterDir = path.join(folder, 'cluster');
  const password = randomBytes(24).toString('base64url');
  const port = await findFreePort();

  const service = createBackingService({
    name: 'Postgres',
    dir,
    env: { DATABASE_URL: `postgres://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}` },
    program: binaries.postgres,
    args: [...serverArguments(clusterDir, port, true), '-c', `max_connections=${MAX_CONNECTIONS}`],
    programEnv: serverEnvironment(),
    ...('uid' in as && { user: as }),
    async prepare() {
      if (await fileExists(clusterDir)) await stopLeftoverServer(clusterDir);
      else await createCluster({ folder, clusterDir, binaries, as, password, durable: true });
    },
    isReady: async () => (await findReadyPort(clusterDir)) === port,
    // SIGINT stops Postgres immediately and ends open connections. SIGTERM waits until clients disconnect.
    stopSignal: 'SIGINT',
  });
  return {
    ...service,
    async dispose() {
      await service.stop('SIGKILL');
      await stopLeftoverServer(clusterDir);
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
      await service.dispose();
    },
  };
}

/** @returns {Promise<typeof import('./postgres-parts.ts')>} */
async function loadParts() {
  const bundled = await bundle(path.join(import.meta.dirname, 'postgres-parts.ts'));
  try {
    return await import(pathToFileURL(bundled.path).href);
  } finally {
    await bundled.remove();
  }
}
