import { openSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startCluster } from '../../launcher/cluster/supervisor.mjs';
import { startBackingServices } from '../../launcher/engines/all.mjs';
import { findEventLog, type EventLogPlace } from './event-log.ts';
import { UPLOAD_WAIT_IN_TESTS_ms, WAIT_POSITION_IN_TESTS_ms } from './max-wait.ts';
import { METRICS_TOKEN } from './product.ts';
import { createServerFolder, removeServerFiles } from './server-folder.mjs';

type BackingServices = Awaited<ReturnType<typeof startBackingServices>>;
type Cluster = Awaited<ReturnType<typeof startCluster>>;

export interface TestCluster extends Cluster {
  readonly backingServices: BackingServices;
  readonly databaseUrl: string;
  readonly eventLog: EventLogPlace;
  readonly dataDir: string;
  /** Path of the file to which all services write their log. */
  readonly logFile: string;
  /** Messages of the supervisor about its processes. */
  readonly supervisorMessages: readonly string[];
}

const root = path.resolve(import.meta.dirname, '../..');

/**
 * Starts a cluster with `each` processes of every service. It also starts the backing services that this machine
 * supports, EventStoreDB with `eventStoreNodes` nodes. With 0, events are in Postgres. The checkout must be built.
 */
export async function startTestCluster({
  each = 2,
  eventStoreNodes = 1,
  env = {},
}: {
  each?: number;
  eventStoreNodes?: number;
  env?: Readonly<Record<string, string>>;
} = {}): Promise<TestCluster> {
  const dir = await createServerFolder('cluster');
  const backingServices = await startBackingServices({ dir: path.join(dir, 'engines'), eventStoreNodes });
  const logFile = path.join(dir, 'services.log');
  const messages: string[] = [];
  const dataDir = path.join(dir, 'data');
  const cluster = await startCluster({
    root,
    each,
    stderr: openSync(logFile, 'a'),
    onMessage: (line) => messages.push(line),
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: os.tmpdir(),
      MF_DIR: process.env['MF_DIR'],
      PORT: '0',
      DEMO: 'off',
      EXPOSE_VERIFICATION_CODES: 'on',
      RATE_LIMITS: 'off',
      STAFF_TWO_STEP: 'off',
      METRICS_TOKEN,
      WAIT_POSITION_MS: String(WAIT_POSITION_IN_TESTS_ms),
      UPLOAD_WAIT_MS: String(UPLOAD_WAIT_IN_TESTS_ms),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'info',
      ...backingServices.env,
      ...env,
    },
  });
  return {
    ...cluster,
    backingServices,
    dataDir,
    databaseUrl: backingServices.env['DATABASE_URL'] ?? '',
    eventLog: findEventLog(backingServices.env),
    logFile,
    supervisorMessages: messages,
    async stop() {
      await cluster.stop();
      await backingServices.dispose();
      await removeServerFiles(dir);
    },
  };
}
