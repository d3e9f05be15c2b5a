import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { openSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startCluster } from '../../infra/cluster/supervisor.mjs';
import { startEngines } from '../../infra/engines/all.mjs';
import { WAIT_POSITION_IN_TESTS_ms } from './patience.ts';

export type Engines = Awaited<ReturnType<typeof startEngines>>;
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

export interface TestCluster extends Cluster {
  readonly engines: Engines;
  readonly databaseUrl: string;
  readonly dataDir: string;
  /** Where the services log. */
  readonly logFile: string;
  /** What happened to processes, as the supervisor said. */
  readonly said: readonly string[];
}

const root = path.resolve(import.meta.dirname, '../..');
/** Test folders of killed servers may be written to for a moment. */
const REMOVE_ALL = { recursive: true, force: true, maxRetries: 20, retryDelay: 50 };

/** The cluster profile with engines of its own, as many as this machine can run, and `each` processes of every service. Wants a built checkout. */
export async function startTestCluster({
  each = 2,
  env = {},
}: {
  each?: number;
  env?: Readonly<Record<string, string>>;
} = {}): Promise<TestCluster> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-cluster-'));
  // As root, Postgres runs as a user who must be able to pass through.
  await chmod(dir, 0o711);
  const engines = await startEngines({ dir: path.join(dir, 'engines') });
  const logFile = path.join(dir, 'services.log');
  const said: string[] = [];
  const dataDir = path.join(dir, 'data');
  const cluster = await startCluster({
    root,
    each,
    stderr: openSync(logFile, 'a'),
    say: (line) => said.push(line),
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: '0',
      DEMO: 'off',
      EXPOSE_VERIFICATION_CODES: 'on',
      RATE_LIMITS: 'off',
      STAFF_TWO_STEP: 'off',
      WAIT_POSITION_MS: String(WAIT_POSITION_IN_TESTS_ms),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'info',
      ...engines.env,
      ...env,
    },
  });
  return {
    ...cluster,
    engines,
    dataDir,
    databaseUrl: engines.env['DATABASE_URL'] ?? '',
    logFile,
    said,
    async stop() {
      await cluster.stop();
      await engines.dispose();
      await rm(dir, REMOVE_ALL);
    },
  };
}
