import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { fileExists } from '../../launcher/postgres/binaries.ts';
import { createCluster, DATABASE, ROLE, type PostgresHome } from '../../launcher/postgres/cluster.ts';
import { prepareHome } from '../../launcher/postgres/home.ts';
import { startServer, stopLeftoverServer, type RunningServer } from '../../launcher/postgres/server.ts';
import { kill9 } from './launched-product.ts';
import { removeServerFiles } from './server-folder.mjs';
import { joinLinks, openTcpLink, type TcpLink } from './tcp-link.ts';

const run = promisify(execFile);

/**
 * Settings that replication needs. Commits are written to the operating system before they are acknowledged, so they
 * survive the end of every process. A power failure is not tested, so nothing is flushed to the disk.
 */
const SETTINGS = {
  fsync: 'off',
  max_connections: '300',
  wal_level: 'replica',
  max_wal_senders: '6',
  wal_keep_size: '512MB',
  max_wal_size: '256MB',
  hot_standby: 'on',
  // Projections commit asynchronously. With a short delay, their commits reach the replica soon.
  wal_writer_delay: '10ms',
  wal_retrieve_retry_interval: '200ms',
} as const;
const CATCH_UP_INTERVAL_ms = 20;
const CATCH_UP_LIMIT_ms = 10_000;
const START_ATTEMPTS = 3;
/** Maximum time in which the product notices that the log has lost events. */
const NOTICE_LIMIT_ms = 5_000;

/** The time in which the commits were made that a promotion or a restore loses. */
interface LossWindow {
  readonly start_ms: number;
  readonly end_ms: number;
  /** The time at which the product had noticed the loss, if only the log has lost commits. */
  readonly staleUntil_ms?: number;
}

/** A streaming replica. */
export interface Replica {
  /** Connection string that leads to the replica through `link`. */
  readonly url: string;
  /** The link between the product and the replica. */
  readonly link: TcpLink;
  /** The link between the primary server and the replica. */
  readonly upstream: TcpLink;
  /** Connection string that leads directly to the replica. */
  directUrl(): string;
  pid(): number;
}

export interface Databases {
  /** Connection string for the product. It leads to the current primary server through a link that can fail. */
  readonly url: string;
  /** The links between the product and the primary server, which fail together. */
  readonly link: TcpLink;
  /** Opens a separate link for one process, which can also fail alone. */
  openOwnLink(): Promise<{ readonly url: string; readonly link: TcpLink }>;
  /** Connection string that leads directly to the current primary server. */
  directUrl(): string;
  pid(): number;
  /** Returns the position of the last event of the log. */
  readHead(): Promise<number>;
  /** The replica that `promote` promotes. Its links and its `url` then lead to a new replica. */
  readonly replica: Replica;
  /** Creates another replica. Its server has these additional settings. */
  addReplica(settings?: Readonly<Record<string, string>>): Promise<Replica>;
  /** Promotes the replica, which lacks the commits that are made during `work`, and creates a new replica. */
  promote(work: () => Promise<unknown>): Promise<LossWindow>;
  /** Copies the files of the running server, for `restore`. */
  backUp(): Promise<void>;
  hasBackup(): boolean;
  /**
   * Replaces the server by the last backup. The replica of the earlier server, which has commits that the backup lacks,
   * keeps running during `whileStale`. It is then replaced. Returns null if there is no backup.
   */
  restore(whileStale?: () => Promise<unknown>): Promise<LossWindow | null>;
  /**
   * Removes the events that are appended during `work` from the log. Everything else stays, as after a restore of an
   * event store that has its own server.
   */
  rewindLog(work: () => Promise<unknown>): Promise<LossWindow>;
  /**
   * Cancels all running statements of the product, as Postgres does after a time limit. Repeats this until `mustRepeat`
   * resolves to false. All repetitions use one connection, because opening one takes longer than most statements.
   */
  cancelStatements(mustRepeat: () => Promise<boolean>): Promise<void>;
  /** Removes jobs that have not started from the queue in Postgres. */
  loseJobs(): Promise<void>;
  /** Starts the primary server again if it has ended. */
  ensureRunning(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a Postgres server and a streaming replica, with their files in `dir`. */
export async function startDatabases(dir: string): Promise<Databases> {
  await mkdir(dir, { recursive: true });
  const home: PostgresHome = await prepareHome(dir, null);
  const password = randomBytes(24).toString('base64url');
  let copies = 0;
  const newFolder = () => path.join(home.folder, `copy-${(copies += 1)}`);

  const launch = (clusterDir: string, settings: Readonly<Record<string, string>> = {}) =>
    startServer({
      ...home,
      clusterDir,
      logFile: path.join(home.folder, 'postgres.log'),
      port: null,
      durable: true,
      settings: { ...SETTINGS, ...settings },
      onUnexpectedExit: () => undefined,
    });
  const addressOf = (port: number) => `postgres://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}`;

  async function withClient<T>(port: number, work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ connectionString: addressOf(port) });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  const query = <Row extends object>(port: number, sql: string): Promise<Row | undefined> =>
    withClient(port, async (client) => (await client.query<Row>(sql)).rows[0]);

  async function readHead(): Promise<number> {
    const row = await query<{ head: number }>(
      primary.port,
      'select coalesce(max(position), 0)::integer as head from es.events',
    );
    return row?.head ?? 0;
  }

  /** Waits until no checkpoint has a lost event without a record of the loss, or for the time of a usual notice. */
  async function waitUntilNoticed(): Promise<void> {
    const end_ms = Date.now() + NOTICE_LIMIT_ms;
    do {
      const row = await query<{ count: number }>(
        primary.port,
        `select count(*)::integer as count from rm.checkpoints c
          where c.lost_position is null and c.position <> '' and c.event_position = c.position
            and not exists (select from es.events e
                             where e.position = c.position::bigint and e.id::text = c.event_id::text)`,
      );
      if (row?.count === 0) return;
      await new Promise((resolve) => setTimeout(resolve, CATCH_UP_INTERVAL_ms));
    } while (Date.now() < end_ms);
  }

  async function write(file: string, text: string): Promise<void> {
    await writeFile(file, text, { mode: 0o600 });
    if ('uid' in home.as) await chown(file, home.as.uid, home.as.gid);
  }

  /**
   * Copies the files of a running server. The package of Postgres does not contain `pg_basebackup`, so this function
   * uses the functions for a backup on file level. Files that vanish during the copy are not needed.
   */
  async function copyRunning(from: {
    clusterDir: string;
    port: number;
  }): Promise<{ clusterDir: string; at_ms: number }> {
    const clusterDir = newFolder();
    const client = new Client({ connectionString: addressOf(from.port) });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query(`select pg_backup_start('prove', true)`);
      await run('cp', ['-a', from.clusterDir, clusterDir]).catch((error: unknown) => error);
      const at_ms = Date.now();
      const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
      await removeServerFiles(path.join(clusterDir, 'pg_wal'));
      await run('cp', ['-a', path.join(from.clusterDir, 'pg_wal'), clusterDir]).catch((error: unknown) => error);
      await Promise.all(
        ['postmaster.pid', 'postmaster.opts', 'standby.signal'].map((name) =>
          removeServerFiles(path.join(clusterDir, name)),
        ),
      );
      await write(path.join(clusterDir, 'backup_label'), rows[0]?.labelfile ?? '');
      return { clusterDir, at_ms };
    } finally {
      await client.end();
    }
  }

  const firstDir = path.join(home.folder, 'cluster');
  await createCluster({ ...home, clusterDir: firstDir, password, durable: false });
  let primary: RunningServer & { clusterDir: string } = { clusterDir: firstDir, ...(await launch(firstDir)) };
  const ownLinks: TcpLink[] = [];
  const link = joinLinks(await openTcpLink(primary.port), () => ownLinks);
  const upstream = await openTcpLink(primary.port);
  let replica = await launchReplica(upstream);
  const readLink = await openTcpLink(replica.port);
  const others: { readonly server: RunningServer & { clusterDir: string }; readonly links: readonly TcpLink[] }[] = [];
  let backup: { clusterDir: string; at_ms: number } | null = null;

  async function launchReplica(
    from: TcpLink,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<RunningServer & { clusterDir: string }> {
    const { clusterDir } = await copyRunning(primary);
    await write(path.join(clusterDir, 'standby.signal'), '');
    const address = `host=127.0.0.1 port=${from.port} user=${ROLE} password=${password}`;
    return { clusterDir, ...(await launch(clusterDir, { primary_conninfo: address, ...settings })) };
  }

  /** Creates a replica of the current primary server in place of the previous one. */
  async function replaceReplica(): Promise<void> {
    upstream.redirect(primary.port);
    upstream.restore();
    replica = await launchReplica(upstream);
    readLink.redirect(replica.port);
  }

  /** Waits until the replica has received all commits. Returns the time before which every commit was received. */
  async function waitForReplica(): Promise<number> {
    const at_ms = Date.now();
    const current = await query<{ lsn: string }>(primary.port, 'select pg_current_wal_lsn()::text as lsn');
    while (Date.now() - at_ms < CATCH_UP_LIMIT_ms) {
      const received = await query<{ done: boolean }>(
        replica.port,
        `select pg_last_wal_receive_lsn() >= '${current?.lsn ?? '0/0'}'::pg_lsn as done`,
      );
      if (received?.done === true) return at_ms;
      await new Promise((resolve) => setTimeout(resolve, CATCH_UP_INTERVAL_ms));
    }
    throw new Error('The replica does not receive the commits');
  }

  async function end({ pid, clusterDir }: { pid: number; clusterDir: string }): Promise<void> {
    kill9(pid);
    await stopLeftoverServer(clusterDir);
  }

  return {
    url: addressOf(link.port),
    link,
    async openOwnLink() {
      const own = await openTcpLink(primary.port);
      ownLinks.push(own);
      return { url: addressOf(own.port), link: own };
    },
    directUrl: () => addressOf(primary.port),
    pid: () => primary.pid,
    readHead,
    replica: {
      url: addressOf(readLink.port),
      link: readLink,
      upstream,
      directUrl: () => addressOf(replica.port),
      pid: () => replica.pid,
    },
    async addReplica(settings) {
      const ownUpstream = await openTcpLink(primary.port);
      const server = await launchReplica(ownUpstream, settings);
      const ownLink = await openTcpLink(server.port);
      others.push({ server, links: [ownUpstream, ownLink] });
      return {
        url: addressOf(ownLink.port),
        link: ownLink,
        upstream: ownUpstream,
        directUrl: () => addressOf(server.port),
        pid: () => server.pid,
      };
    },
    async promote(work) {
      // The first wait may be long. The second one is short, so that the time of lost commits is exact.
      await waitForReplica();
      const start_ms = await waitForReplica();
      upstream.resetConnections();
      await work();
      await end(primary);
      const end_ms = Date.now();
      await query(replica.port, 'select pg_promote()');
      await removeServerFiles(primary.clusterDir);
      primary = replica;
      link.redirect(primary.port);
      await replaceReplica();
      return { start_ms, end_ms };
    },
    async backUp() {
      const copied = await copyRunning(primary);
      if (backup) await removeServerFiles(backup.clusterDir);
      backup = copied;
    },
    hasBackup: () => backup !== null,
    async restore(whileStale) {
      if (!backup) return null;
      const { clusterDir, at_ms } = backup;
      backup = null;
      await end(primary);
      const end_ms = Date.now();
      await removeServerFiles(primary.clusterDir);
      primary = { clusterDir, ...(await launch(clusterDir)) };
      link.redirect(primary.port);
      await whileStale?.();
      await end(replica);
      await removeServerFiles(replica.clusterDir);
      await replaceReplica();
      return { start_ms: at_ms, end_ms };
    },
    async rewindLog(work) {
      const start_ms = Date.now();
      const before = await readHead();
      await work();
      link.resetConnections();
      // The lock of `es.append` ensures that no append is running.
      await query(
        primary.port,
        `do $$ begin
           perform set_config('session_replication_role', 'replica', true), pg_advisory_xact_lock(5716233);
           delete from es.events where position > ${before};
         end $$`,
      );
      const end_ms = Date.now();
      link.restore();
      await waitUntilNoticed();
      return { start_ms, end_ms, staleUntil_ms: Date.now() };
    },
    cancelStatements: (mustRepeat) =>
      withClient(primary.port, async (client) => {
        do
          await client.query(
            `select count(pg_cancel_backend(pid)) from pg_stat_activity
              where state = 'active' and backend_type = 'client backend' and pid <> pg_backend_pid()
                and application_name <> 'prove'`,
          );
        while (await mustRepeat());
      }),
    async loseJobs() {
      await query(primary.port, `delete from bullmq.job where state in ('waiting', 'delayed')`);
    },
    async ensureRunning() {
      const isUsable = () =>
        query(primary.port, 'select 1').then(
          () => true,
          () => false,
        );
      for (let attempt = 1; attempt <= START_ATTEMPTS * 10; attempt += 1) {
        if (await isUsable()) return;
        if (await fileExists(`/proc/${primary.pid}`)) {
          await new Promise((resolve) => setTimeout(resolve, CATCH_UP_LIMIT_ms / 20));
          continue;
        }
        await stopLeftoverServer(primary.clusterDir);
        primary = { clusterDir: primary.clusterDir, ...(await launch(primary.clusterDir)) };
        for (const each of [link, upstream]) each.redirect(primary.port);
      }
      throw new Error('The database does not start again');
    },
    async close() {
      await Promise.all([primary, replica, ...others.map(({ server }) => server)].map(end));
      await Promise.all(
        [link, readLink, upstream, ...others.flatMap(({ links }) => links)].map((each) => each.close()),
      );
      await removeServerFiles(home.folder);
      if ((await stat(dir).catch(() => null)) !== null) await removeServerFiles(dir);
    },
  };
}
