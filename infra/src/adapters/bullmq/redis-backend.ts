import { setTimeout as pause } from 'node:timers/promises';
import { JobQueueUnavailable } from '@alpenglow/domain';
import { ConnectionClosedError, QueueKeys, RedisConnection, RedisQueueBackend, type QueueBaseOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { ConfigurationError } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import type { JobBackend, JobBackendOptions } from './backend.ts';
import { pausingOnFailure } from './pausing.ts';
import { isRedisOutage, isRefusal } from './redis-errors.ts';
import { openLink, type LinkOptions, type RedisLink } from './redis-link.ts';

const PREFIX = 'alpenglow';
const CHECK_LIMIT_ms = 5_000;
/** A server that says nothing for this long is gone, and the connection with it. */
const ANSWER_LIMIT_ms = 5_000;
/** The same for a connection on which a worker waits for a job: BullMQ lets it wait 10 s at most. */
const WAIT_LIMIT_ms = 15_000;
/** A worker that is killed between hearing of a job and taking it leaves the others to find out by themselves. */
const IDLE_LOOK_s = 5;

/** A queue is to fail at once while Redis is away: whoever enqueues tries again. */
const QUEUE_OPTIONS: LinkOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  commandTimeout: ANSWER_LIMIT_ms,
  socketTimeout: ANSWER_LIMIT_ms,
};
/** A worker is to wait for its return. */
const WORKER_OPTIONS: LinkOptions = { maxRetriesPerRequest: null, socketTimeout: ANSWER_LIMIT_ms };
const WAITING_OPTIONS: LinkOptions = { maxRetriesPerRequest: null, socketTimeout: WAIT_LIMIT_ms };

const MIN_VERSION = '6.2';
const SAFE_POLICY = 'noeviction';

/** Jobs in Redis, whether or not it is there: connections are made, and made again, behind it. */
export async function createRedisBackend(
  url: string,
  { log, prefix = PREFIX }: Omit<JobBackendOptions, 'connectionString'>,
): Promise<JobBackend> {
  const { Redis: Client } = await import('ioredis');
  const links = new Set<RedisLink>();
  const open = (role: string, options: LinkOptions): RedisLink => {
    const link = openLink(Client, url, `alpenglow-jobs-${role}`, options, log);
    links.add(link);
    return link;
  };
  const queueLink = open('queue', QUEUE_OPTIONS);
  // What is asked before the connection is there fails like what is asked after it broke.
  const queueConnection = connectionOver(queueLink.client, { skipWaitingForReady: true });
  const keysOf = new QueueKeys(prefix);

  return {
    factory(name, options, { withBlockingConnection = false } = {}) {
      const identity: Identity = {
        name,
        keys: keysOf,
        options: { ...options, connection: queueLink.client, prefix } as QueueBaseOptions,
      };
      if (!withBlockingConnection) return new RedisBackend(identity, queueConnection);
      return pausingOnFailure(
        new RedisWorkerBackend(
          identity,
          open(`${name}-worker`, WORKER_OPTIONS),
          open(`${name}-waiting`, WAITING_OPTIONS),
        ),
      );
    },
    idleLook_s: IDLE_LOOK_s,
    isOutage: isRedisOutage,
    async check() {
      const checking = open('check', { ...QUEUE_OPTIONS, lazyConnect: true });
      // Whoever asks tries again.
      checking.giveUp();
      const limit = new AbortController();
      const tooLate = pause(CHECK_LIMIT_ms, undefined, { signal: limit.signal }).then(() =>
        Promise.reject(new JobQueueUnavailable(`Redis did not answer within ${CHECK_LIMIT_ms} ms`)),
      );
      try {
        await Promise.race([reach(checking, log), tooLate]);
        await Promise.race([isReady(queueConnection), tooLate]);
      } finally {
        limit.abort();
        checking.client.disconnect();
        links.delete(checking);
      }
    },
    close() {
      for (const { client } of links) client.disconnect();
      return Promise.resolve();
    },
  };
}

/** Connects, and makes sure of a server that keeps what it is given. */
async function reach({ client, fault }: RedisLink, log?: Logger): Promise<void> {
  try {
    await client.connect();
    const facts = new Map((await client.info()).split(/\r?\n/u).map((line) => line.split(':', 2) as [string, string]));
    const version = facts.get('redis_version') ?? '';
    if (isOlder(version, MIN_VERSION))
      throw new ConfigurationError(
        `REDIS_URL: the server is Redis ${version || 'of an unknown version'}; ${MIN_VERSION} or later is needed`,
      );
    const policy = facts.get('maxmemory_policy');
    if (policy === undefined)
      log?.warn(
        `Redis does not tell its maxmemory-policy. Make sure that it is ${SAFE_POLICY}: with any other, jobs vanish when memory runs short`,
      );
    else if (policy !== SAFE_POLICY)
      throw new ConfigurationError(
        `REDIS_URL: the server's maxmemory-policy is ${policy}, with which jobs vanish when memory runs short. Set it to ${SAFE_POLICY}`,
      );
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const reason = fault() ?? error;
    if (isRefusal(reason)) throw new ConfigurationError(`REDIS_URL: the server does not let us in (${reason.message})`);
    // A failed connection is only ever told of as closed; its fault says why.
    if (isRedisOutage(error)) throw new JobQueueUnavailable('Redis cannot be reached', { cause: reason });
    throw error;
  }
}

/** Version numbers as `7.0.15`: only as many parts are compared as `than` has. */
function isOlder(version: string, than: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, wanted] of than.split('.').map(Number).entries()) {
    const part = parts[index] ?? Number.NaN;
    if (part !== wanted) return !(part > wanted);
  }
  return false;
}

/**
 * What BullMQ calls a connection, over a client of ours. By itself it would ask each one for the server's version, and give the connection
 * up for good if it broke before the answer came.
 */
function connectionOver(client: Redis, { skipWaitingForReady = false } = {}): RedisConnection {
  const connection = new RedisConnection(client, {
    shared: true,
    blocking: false,
    skipVersionCheck: true,
    skipWaitingForReady,
  });
  // Of every server from 6.2 on; the later ones' shortest wait is 1 ms shorter.
  const know = () => {
    connection.capabilities = { canDoubleTimeout: true, canBlockFor1Ms: false };
  };
  connection.client.then(know, () => undefined);
  // The link tells of them.
  connection.on('error', () => undefined);
  return connection;
}

async function isReady(connection: RedisConnection): Promise<void> {
  await RedisConnection.waitUntilReady(await connection.client);
}

interface Identity {
  readonly name: string;
  readonly keys: QueueKeys;
  readonly options: QueueBaseOptions;
}

/** Over connections that it does not own: closing it leaves them open. */
class RedisBackend extends RedisQueueBackend {
  readonly #connection: RedisConnection;

  constructor({ name, keys, options }: Identity, connection: RedisConnection, waiting?: RedisConnection) {
    super(connection, name, keys.getKeys(name), (type) => keys.toKey(name, type), options, waiting, false);
    this.#connection = connection;
  }

  /** A queue says once, when it is made, how many events it keeps: that waits for Redis. */
  override async setQueueMeta(
    values: Parameters<RedisQueueBackend['setQueueMeta']>[0],
  ): ReturnType<RedisQueueBackend['setQueueMeta']> {
    await isReady(this.#connection);
    return super.setQueueMeta(values);
  }
}

/**
 * A worker's own two connections. BullMQ's way to close a worker waits for a server that is gone
 * (https://github.com/taskforcesh/bullmq/issues/4656); this one does not.
 */
class RedisWorkerBackend extends RedisBackend {
  readonly #links: { readonly main: RedisLink; readonly waiting: RedisLink };
  #interrupt: () => void = () => undefined;
  #isInterrupted = false;

  constructor(identity: Identity, main: RedisLink, waiting: RedisLink) {
    super(identity, connectionOver(main.client), connectionOver(waiting.client));
    this.#links = { main, waiting };
  }

  override waitForJob(timeout_s: number): ReturnType<RedisQueueBackend['waitForJob']> {
    return new Promise((resolve, reject) => {
      this.#interrupt = () => reject(new ConnectionClosedError());
      if (this.#isInterrupted) this.#interrupt();
      else super.waitForJob(timeout_s).then(resolve, reject);
    });
  }

  /** The worker closes. What it still has to say about a job under way is said while Redis is there, and once more when it is not. */
  override disconnectBlocking(): Promise<void> {
    this.#isInterrupted = true;
    this.#interrupt();
    this.#links.waiting.client.disconnect();
    this.#links.main.giveUp();
    return Promise.resolve();
  }

  override close(): Promise<void> {
    this.closing ??= Promise.resolve();
    for (const { client } of Object.values(this.#links)) client.disconnect();
    return this.closing;
  }
}
