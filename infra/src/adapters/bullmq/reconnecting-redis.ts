import type { Redis, RedisOptions } from 'ioredis';
import type { Logger } from '../../service/logger.ts';

const CONNECT_LIMIT_ms = 3_000;
const KEEP_ALIVE_AFTER_ms = 10_000;
const FIRST_RECONNECT_WAIT_ms = 50;
const LONGEST_RECONNECT_WAIT_ms = 2_000;

/** The options of the Redis driver that a caller may set. */
export type ReconnectingRedisOptions = Omit<RedisOptions, 'replyMapping'>;

/** A Redis connection that is reopened whenever it breaks. */
export type ReconnectingRedis = ReturnType<typeof openReconnectingRedis>;

/**
 * Opens a Redis connection that reconnects after every failure. `options` extend the options that all our connections
 * share. Logs the start and the end of each outage once.
 */
export function openReconnectingRedis(
  Client: typeof Redis,
  url: string,
  name: string,
  options: ReconnectingRedisOptions,
  log?: Logger,
) {
  let isLast = false;
  let isLost = false;
  let lastError: Error | null = null;
  const client = new Client(url, {
    ...options,
    connectionName: name,
    connectTimeout: CONNECT_LIMIT_ms,
    keepAlive: KEEP_ALIVE_AFTER_ms,
    retryStrategy: (times) =>
      isLast ? null : Math.min(FIRST_RECONNECT_WAIT_ms * 2 ** (times - 1), LONGEST_RECONNECT_WAIT_ms),
    // A READONLY error shows that the server is not the primary any more. The client then reconnects and repeats the
    // command. The number 2 requests this repetition.
    reconnectOnError: (error) => error.message.includes('READONLY') && 2,
  });
  client.on('error', (error: Error & { command?: unknown }) => {
    // The failed command is removed from the error, because the command may contain the password.
    delete error.command;
    lastError = error;
  });
  client.on('reconnecting', () => {
    if (!isLost)
      log?.warn({ connection: name, ...(lastError && { err: lastError }) }, 'Redis connection lost, reconnecting');
    isLost = true;
  });
  client.on('ready', () => {
    if (isLost) log?.info({ connection: name }, 'Redis connection restored');
    isLost = false;
    lastError = null;
  });
  return {
    client,
    /** Returns the last error of the connection, or null while the connection works. */
    lastError: (): Error | null => lastError,
    /** Disables reconnecting. Pending commands fail as soon as the connection breaks or cannot be opened. */
    stopReconnecting(): void {
      isLast = true;
    },
  };
}
