import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { cp, mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { startCluster } from '../launcher/cluster/supervisor.mjs';
import { BackingServiceUnavailable } from '../launcher/engines/engine.mjs';
import { createEventStoreDb } from '../launcher/engines/eventstoredb.mjs';
import { createKafka } from '../launcher/engines/kafka.mjs';
import { createRedis } from '../launcher/engines/redis.mjs';
import { findEventLog, type EventLogPlace } from '../tests/support/event-log.ts';
import { startMailServer } from '../tests/support/mail-server.ts';
import type { TcpLink } from '../tests/support/tcp-link.ts';
import { startDatabases, type Databases } from '../tests/support/postgres-with-replica.ts';
import { createServerFolder, removeServerFiles } from '../tests/support/server-folder.mjs';
import type { Letter } from './history.ts';

/** A machine with two cores starts all processes and services at the same time. */
const READY_LIMIT_ms = 300_000;
/** Longer than the time limit of a client, so that a read never returns before it includes the position. */
const POSITION_WAIT_ms = 45_000;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** The services whose processes have their own link to Postgres. */
const DATABASE_SERVICES = ['command-api', 'query-api', 'projectors', 'workers'];
/** Modules that change the processes of the product without a setting of the product. */
const PRELOADED = ['tests/support/clock.mjs', 'tests/support/cheap-passwords.mjs'];
const ADMIN_EMAIL = 'admin@example.com';
/** Some projections run in shards, and the others do not, so that each run checks both. */
export const SHARDS: ReadonlyMap<string, number> = new Map([
  ['ad_cards', 3],
  ['ad_details', 2],
  ['community_threads', 2],
]);

type Cluster = Awaited<ReturnType<typeof startCluster>>;
type BackingService = Awaited<ReturnType<typeof createRedis>>;

/** The product under test: processes, a database with a replica, and a mail server. */
export interface System {
  readonly url: string;
  readonly members: Cluster['members'];
  readonly databases: Databases;
  /** The link between each process that uses Postgres and the primary server, by the name of the process. */
  readonly ownLinks: ReadonlyMap<string, TcpLink>;
  readonly backingServices: readonly BackingService[];
  /** The place of the events. If it is Postgres, a promotion or a restore changes its address (`databases`). */
  readonly eventLog: EventLogPlace;
  /** A line for each backing service that this machine cannot run, so that the default is used. */
  readonly missing: readonly string[];
  /** True if the product stores its jobs in Redis. */
  readonly hasRedis: boolean;
  readonly letters: readonly Letter[];
  readonly adminEmail: string;
  readonly dataDir: string;
  readonly logFile: string;
  /** Unexpected ends of processes. */
  readonly messages: readonly string[];
  ready(): Promise<void>;
  /** Removes jobs from the queue that have not started, as if the queue had lost its last data. */
  loseJobs(): Promise<void>;
  /** Shifts the clock of one process. 0 restores it. */
  setClock(port: number, shift_ms: number): Promise<void>;
  /** Restarts all processes one after the other from a copy of the built files. */
  rollOut(): Promise<void>;
  stop(): Promise<void>;
}

export interface SystemOptions {
  /** Path of the built tree. */
  readonly root: string;
  /** Number of processes of each service. */
  readonly each: number;
  /** If true, starts neither Kafka nor Redis. */
  readonly isEmbedded: boolean;
  /** If true, events are in EventStoreDB. There must be one. */
  readonly usesEventStoreDb?: boolean;
  /** If false, the product connects to Postgres without links, so that its connections cannot be disturbed. */
  readonly hasLinks?: boolean;
}

/** Starts the system. Its files are in a temporary folder, which `stop` removes. */
export async function startSystem({
  root,
  each,
  isEmbedded,
  usesEventStoreDb = false,
  hasLinks = true,
}: SystemOptions): Promise<System> {
  const dir = await createServerFolder('prove');
  const closing: (() => Promise<unknown>)[] = [() => removeServerFiles(dir)];
  const stop = async () => {
    for (const name of SIGNALS) process.off(name, onSignal);
    for (const close of closing.splice(0).reverse()) await close();
  };
  // Postgres runs in its own process group, so it would survive a signal to this process.
  const onSignal = () => void stop().finally(() => process.exit(1));
  for (const name of SIGNALS) process.on(name, onSignal);
  try {
    const databases = await startDatabases(path.join(dir, 'postgres'));
    closing.push(() => databases.close());
    const missing: string[] = isEmbedded ? ['Kafka and Redis: switched off'] : [];
    const backingServices: BackingService[] = [];
    for (const create of isEmbedded ? [] : [createRedis, createKafka]) {
      try {
        const service = await create({ dir: path.join(dir, create.name) });
        closing.push(() => service.dispose());
        await service.start();
        backingServices.push(service);
      } catch (error) {
        if (!(error instanceof BackingServiceUnavailable)) throw error;
        missing.push(error.message);
      }
    }
    const address = usesEventStoreDb ? process.env['TEST_EVENTSTORE_URL'] : undefined;
    if (usesEventStoreDb && address === undefined) {
      const service = await createEventStoreDb({ dir: path.join(dir, 'eventstoredb') });
      closing.push(() => service.dispose());
      await service.start();
      backingServices.push(service);
    }
    const backingServiceEnv: Readonly<Record<string, string>> = Object.assign(
      // Other runs may have used the same server.
      address === undefined ? {} : { EVENTSTORE_URL: address, EVENTSTORE_STREAM_PREFIX: `prove-${randomUUID()}-` },
      ...backingServices.map(({ env }) => env),
    );
    const letters: Letter[] = [];
    const mailServer = await startMailServer({
      onLetter: ({ to, headers, text }) =>
        letters.push({ to: to.join(), subject: headers['subject'] ?? '', text, received_ms: Date.now() }),
    });
    closing.push(() => mailServer.close());

    const clockDir = path.join(dir, 'clock');
    await mkdir(clockDir);
    // The processes start from a link, so that a roll-out can replace the tree.
    const link = path.join(dir, 'current');
    let builds = 0;
    async function deploy(): Promise<void> {
      const tree = path.join(dir, `build-${(builds += 1)}`);
      await copyBuild(root, tree);
      await symlink(tree, `${link}.new`);
      await rename(`${link}.new`, link);
    }
    await deploy();
    const ownLinks = new Map<string, TcpLink>();
    const ownUrls = new Map<string, string>();
    for (const service of hasLinks ? DATABASE_SERVICES : [])
      for (let number = 1; number <= each; number += 1) {
        const own = await databases.openOwnLink();
        ownLinks.set(`${service}-${number}`, own.link);
        ownUrls.set(`${service}-${number}`, own.url);
      }
    const messages: string[] = [];
    const dataDir = path.join(dir, 'data');
    const logFile = path.join(dir, 'services.log');
    const cluster = await startCluster({
      root: link,
      each,
      readyLimit_ms: READY_LIMIT_ms,
      stderr: openSync(logFile, 'a'),
      onMessage: (line) => messages.push(line),
      envOf: (name) => ({ DATABASE_URL: ownUrls.get(name) ?? (hasLinks ? databases.url : databases.directUrl()) }),
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        MF_DIR: process.env['MF_DIR'],
        NODE_OPTIONS: PRELOADED.map((name) => `--import=${pathToFileURL(path.resolve(name)).href}`).join(' '),
        CLOCK_DIR: clockDir,
        PORT: '0',
        DEMO: 'off',
        EXPOSE_VERIFICATION_CODES: 'on',
        RATE_LIMITS: 'off',
        STAFF_TWO_STEP: 'off',
        ADMIN_EMAIL,
        DRAIN_DELAY_MS: '500',
        WAIT_POSITION_MS: String(POSITION_WAIT_ms),
        DATABASE_READ_URLS: hasLinks ? databases.replica.url : databases.replica.directUrl(),
        PROJECTION_SHARDS: [...SHARDS].map((entry) => entry.join(':')).join(','),
        SMTP_URL: `smtp://127.0.0.1:${mailServer.port}?tls=off`,
        MAIL_FROM: 'Alpenglow <mail@example.com>',
        DATA_DIR: dataDir,
        LOG_LEVEL: 'info',
        ...backingServiceEnv,
      },
    });
    closing.push(() => cluster.stop());
    return {
      url: cluster.url,
      members: cluster.members,
      ready: () => cluster.ready(),
      databases,
      ownLinks,
      backingServices,
      eventLog: findEventLog({ ...backingServiceEnv, DATABASE_URL: databases.url }),
      missing,
      hasRedis: backingServices.some(({ env }) => 'REDIS_URL' in env),
      letters,
      adminEmail: ADMIN_EMAIL,
      dataDir,
      logFile,
      messages,
      async loseJobs() {
        const redisUrl = backingServices.map(({ env }) => env['REDIS_URL']).find((url) => url !== undefined);
        await (redisUrl === undefined ? databases.loseJobs() : clearRedis(redisUrl));
      },
      setClock: (port, shift_ms) => writeFile(path.join(clockDir, String(port)), String(shift_ms)),
      async rollOut() {
        await deploy();
        await cluster.rollingRestart();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Removes all data of a Redis server. */
async function clearRedis(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // Redis sends its response when the data is removed.
  socket.write('FLUSHALL\r\n');
  await once(socket, 'data');
  socket.destroy();
}

/** Copies the built servers of a tree. Everything else is linked, because it does not change between two builds. */
async function copyBuild(root: string, target: string): Promise<void> {
  await mkdir(path.join(target, 'launcher'), { recursive: true });
  const linkAll = async (folder: string, except: string) => {
    for (const name of await readdir(path.join(root, folder)))
      if (name !== except) await symlink(path.join(root, folder, name), path.join(target, folder, name));
  };
  await linkAll('.', 'launcher');
  await linkAll('launcher', 'dist');
  await cp(path.join(root, 'launcher/dist'), path.join(target, 'launcher/dist'), { recursive: true });
}
