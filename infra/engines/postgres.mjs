// @ts-check
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { freePort } from '../cluster/free-port.mjs';
import { EngineUnavailable, spawnEngine } from './engine.mjs';

/** For many processes with pools of their own, where the product's setting is for one. */
const MAX_CONNECTIONS = 300;

/**
 * A real, durable Postgres, from the binaries and with the settings of the product's embedded one. Throws EngineUnavailable where there are
 * none for this platform.
 * @param {{ dir: string }} options   its folder. Root runs Postgres as another user: what that one cannot reach lies in a shared folder
 * @returns {Promise<import('./engine.mjs').Engine>}
 */
export async function createPostgres({ dir }) {
  const {
    createCluster,
    DATABASE,
    exists,
    prepareHome,
    readyPort,
    ROLE,
    serverArguments,
    serverEnvironment,
    stopStale,
  } = await loadParts();
  await mkdir(dir, { recursive: true });
  const { folder, as, binaries } = await prepareHome(dir, null).catch((/** @type {Error} */ error) => {
    throw new EngineUnavailable(`Postgres: ${error.message}`);
  });
  const clusterDir = path.join(folder, 'cluster');
  const password = randomBytes(24).toString('base64url');
  const port = await freePort();

  const engine = spawnEngine({
    name: 'Postgres',
    dir,
    env: { DATABASE_URL: `postgres://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}` },
    program: binaries.postgres,
    args: [...serverArguments(clusterDir, port, true), '-c', `max_connections=${MAX_CONNECTIONS}`],
    programEnv: serverEnvironment(),
    ...('uid' in as && { user: as }),
    async prepare() {
      if (await exists(clusterDir)) await stopStale(clusterDir);
      else await createCluster({ home: folder, clusterDir, binaries, as, password, durable: true });
    },
    isReady: async () => (await readyPort(clusterDir)) === port,
    // Ends the connections that are open, where SIGTERM would wait for them.
    stopSignal: 'SIGINT',
  });
  return {
    ...engine,
    async dispose() {
      await engine.stop('SIGKILL');
      await stopStale(clusterDir);
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
      await engine.dispose();
    },
  };
}

/** @returns {Promise<typeof import('./postgres-parts.ts')>} */
async function loadParts() {
  const built = await bundle(path.join(import.meta.dirname, 'postgres-parts.ts'));
  try {
    return await import(pathToFileURL(built.path).href);
  } finally {
    await built.remove();
  }
}
