import { JobQueueUnavailable } from '@alpenglow/domain';
import { ConnectionClosedError, QueueKeys, RedisConnection, RedisQueueBackend, type QueueBaseOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { ConfigurationError } from '../../service/config.ts';
import type { Logger } from '../../service/logger.ts';
import { withinTime } from '../../service/polling-and-slots.ts';
import type { JobBackend, JobBackendOptions } from './job-backend.ts';
import { pauseOnFailure } from './pause-on-failure.ts';
import { isRedisOutage, isLoginRejection } from './redis-errors.ts';
import { openReconnectingRedis, type ReconnectingRedisOptions, type ReconnectingRedis } from './reconnecting-redis.ts';

const PREFIX = 'alpenglow';
const CHECK_LIMIT_ms = 5_000;
/** The time without data after which the connection to a server counts as broken. */
const RESPONSE_LIMIT_ms = 5_000;
/**
 * The time without data after which a connection counts as broken while it waits for a job. It is longer than for other
 * connections, because a wait for a job takes up to 10 s.
 */
const WAIT_LIMIT_ms = 15_000;
/**
 * The interval at which an idle worker checks for jobs. A check is needed for a job whose only notification was sent to
 * a worker that was then killed.
 */
const IDLE_CHECK_s = 5;

/**
 * The connection options of a queue. While Redis is unreachable, a queue fails at once and does not wait, because its
 * callers retry.
 */
const QUEUE_OPTIONS: ReconnectingRedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 1,
  commandTimeout: RESPONSE_LIMIT_ms,
  socketTimeout: RESPONSE_LIMIT_ms,
};
/** The connection options of a worker. There is no retry limit, so a worker waits until Redis is reachable again. */
const WORKER_OPTIONS: ReconnectingRedisOptions = { maxRetriesPerRequest: null, socketTimeout: RESPONSE_LIMIT_ms };
const WAITING_OPTIONS: ReconnectingRedisOptions = { maxRetriesPerRequest: null, socketTimeout: WAIT_LIMIT_ms };

const MIN_VERSION = '6.2';
const SAFE_POLICY = 'noeviction';

/**
 * Creates the storage of background jobs in Redis. Redis may be unreachable at this time, because connections are
 * opened and reopened in the background.
 */
export async function createRedisBackend(
  url: string,
  { log, prefix = PREFIX }: Omit<JobBackendOptions, 'connectionString'>,
): Promise<JobBackend> {
  const { Redis: Client } = await import('ioredis');
  const links = new Set<ReconnectingRedis>();
  const open = (role: string, options: ReconnectingRedisOptions): ReconnectingRedis => {
    const link = openReconnectingRedis(Client, url, `alpenglow-jobs-${role}`, options, log);
    links.add(link);
    return link;
  };
  const queueLink = open('queue', QUEUE_OPTIONS);
  // With `skipWaitingForReady`, a command fails at once if the connection is not ready yet. Commands on a broken
  // connection also fail at once.
  const queueConnection = connectionOver(queueLink.client, { skipWaitingForReady: true });
  const queueKeys = new QueueKeys(prefix);

  return {
    factory(name, options, { withBlockingConnection = false } = {}) {
      const identity: QueueIdentity = {
        name,
        keys: queueKeys,
        options: { ...options, connection: queueLink.client, prefix } as QueueBaseOptions,
      };
      if (!withBlockingConnection) return new RedisBackend(identity, queueConnection);
      return pauseOnFailure(
        new RedisWorkerBackend(
          identity,
          open(`${name}-worker`, WORKER_OPTIONS),
          open(`${name}-waiting`, WAITING_OPTIONS),
        ),
      );
    },
    idleCheck_s: IDLE_CHECK_s,
    isOutage: isRedisOutage,
    async check() {
      const checking = open('check', { ...QUEUE_OPTIONS, lazyConnect: true });
      // A failed connection is not retried here, because the caller of `check` retries.
      checking.stopReconnecting();
      const checked = connectAndCheck(checking, log).then(() => isReady(queueConnection));
      const timeoutError = () => new JobQueueUnavailable(`Redis did not respond within ${CHECK_LIMIT_ms} ms`);
      try {
        await withinTime(checked, CHECK_LIMIT_ms, timeoutError);
      } finally {
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

/**
 * Connects, and checks that the server stores its data reliably. Throws `ConfigurationError` if the server may lose
 * data or rejects the login. Throws `JobQueueUnavailable` if the server cannot be reached.
 */
async function connectAndCheck({ client, lastError }: ReconnectingRedis, log?: Logger): Promise<void> {
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
        `Redis does not report its maxmemory-policy. Make sure that it is ${SAFE_POLICY}: ` +
          'with any other policy, jobs are lost when memory runs out',
      );
    else if (policy !== SAFE_POLICY)
      throw new ConfigurationError(
        `REDIS_URL: the server's maxmemory-policy is ${policy}, ` +
          `which loses jobs when memory runs out. Set it to ${SAFE_POLICY}`,
      );
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const reason = lastError() ?? error;
    if (isLoginRejection(reason))
      throw new ConfigurationError(`REDIS_URL: the server rejects the login (${reason.message})`);
    // After a failed connection attempt, the error of the client is only "closed". `lastError` returns the actual
    // reason.
    if (isRedisOutage(error)) throw new JobQueueUnavailable('Redis cannot be reached', { cause: reason });
    throw error;
  }
}

/** Returns true if `version`, e.g. `7.0.15`, is older than `than`. Compares only as many parts as `than` contains. */
function isOlder(version: string, than: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, required] of than.split('.').map(Number).entries()) {
    const part = parts[index] ?? Number.NaN;
    if (part !== required) return !(part > required);
  }
  return false;
}

/**
 * Wraps our Redis client in BullMQ's connection class. Skips BullMQ's query for the server version, because BullMQ
 * closes the connection permanently if it breaks during that query.
 */
function connectionOver(client: Redis, { skipWaitingForReady = false } = {}): RedisConnection {
  const connection = new RedisConnection(client, {
    shared: true,
    blocking: false,
    skipVersionCheck: true,
    skipWaitingForReady,
  });
  // Capabilities of every Redis server from 6.2 on. Later servers also support a wait of 1 ms, which is not used.
  const setCapabilities = () => {
    connection.capabilities = { canDoubleTimeout: true, canBlockFor1Ms: false };
  };
  connection.client.then(setCapabilities, () => undefined);
  // Errors are ignored here, because `openReconnectingRedis` logs them.
  connection.on('error', () => undefined);
  return connection;
}

async function isReady(connection: RedisConnection): Promise<void> {
  await RedisConnection.waitUntilReady(await connection.client);
}

interface QueueIdentity {
  readonly name: string;
  readonly keys: QueueKeys;
  readonly options: QueueBaseOptions;
}

/**
 * A backend of a queue. It shares its Redis connection with other queues, so closing the backend leaves the connection
 * open.
 */
class RedisBackend extends RedisQueueBackend {
  readonly #connection: RedisConnection;

  constructor({ name, keys, options }: QueueIdentity, connection: RedisConnection, waiting?: RedisConnection) {
    super(connection, name, keys.getKeys(name), (type) => keys.toKey(name, type), options, waiting, false);
    this.#connection = connection;
  }

  /**
   * Sets the maximum number of queue events that Redis stores for a queue. BullMQ calls this method once, when the
   * queue is created. Waits until Redis is reachable.
   */
  override async setQueueMeta(
    values: Parameters<RedisQueueBackend['setQueueMeta']>[0],
  ): ReturnType<RedisQueueBackend['setQueueMeta']> {
    await isReady(this.#connection);
    return super.setQueueMeta(values);
  }
}

/**
 * A backend for one worker, with two Redis connections that no other worker uses. BullMQ's own class waits for an
 * unreachable server when its worker is closed (https://github.com/taskforcesh/bullmq/issues/4656). This class does not
 * wait.
 */
class RedisWorkerBackend extends RedisBackend {
  readonly #links: { readonly main: ReconnectingRedis; readonly waiting: ReconnectingRedis };
  #interrupt: () => void = () => undefined;
  #isInterrupted = false;

  constructor(identity: QueueIdentity, main: ReconnectingRedis, waiting: ReconnectingRedis) {
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

  /**
   * Stops waiting for jobs. BullMQ calls this method when the worker closes. Commands about a job that is still running
   * are sent as before. If Redis is unreachable, these commands are attempted one last time.
   */
  override disconnectBlocking(): Promise<void> {
    this.#isInterrupted = true;
    this.#interrupt();
    this.#links.waiting.client.disconnect();
    this.#links.main.stopReconnecting();
    return Promise.resolve();
  }

  override close(): Promise<void> {
    this.closing ??= Promise.resolve();
    for (const { client } of Object.values(this.#links)) client.disconnect();
    return this.closing;
  }
}
