import type { Redis, RedisOptions } from 'ioredis';
import type { Logger } from '../../logger.ts';

const CONNECT_LIMIT_ms = 3_000;
const KEEP_ALIVE_AFTER_ms = 10_000;
const FIRST_RECONNECT_WAIT_ms = 50;
const LONGEST_RECONNECT_WAIT_ms = 2_000;

/** The driver's, as far as they are ours to choose. */
export type LinkOptions = Omit<RedisOptions, 'replyMapping'>;

/** A connection that is made again whenever it breaks. */
export interface RedisLink {
  readonly client: Redis;
  /** What last went wrong with the connection; null while all is well. */
  fault(): Error | null;
  /** The next failure to connect is the last: whatever still waits for an answer then fails. */
  giveUp(): void;
}

/** `options` beside those every connection has. The log hears of each outage once, and of its end. */
export function openLink(
  Client: typeof Redis,
  url: string,
  name: string,
  options: LinkOptions,
  log?: Logger,
): RedisLink {
  let isLast = false;
  let isLost = false;
  let fault: Error | null = null;
  const client = new Client(url, {
    ...options,
    connectionName: name,
    connectTimeout: CONNECT_LIMIT_ms,
    keepAlive: KEEP_ALIVE_AFTER_ms,
    retryStrategy: (times) =>
      isLast ? null : Math.min(FIRST_RECONNECT_WAIT_ms * 2 ** (times - 1), LONGEST_RECONNECT_WAIT_ms),
    // After a failover the connection may still lead to the server that was the primary.
    reconnectOnError: (error) => error.message.includes('READONLY') && 2,
  });
  client.on('error', (error: Error & { command?: unknown }) => {
    // The command that was refused may be the one that carries the password.
    delete error.command;
    fault = error;
  });
  client.on('reconnecting', () => {
    if (!isLost) log?.warn({ connection: name, ...(fault && { err: fault }) }, 'Redis is lost, connecting again');
    isLost = true;
  });
  client.on('ready', () => {
    if (isLost) log?.info({ connection: name }, 'Redis is back');
    isLost = false;
    fault = null;
  });
  return {
    client,
    fault: () => fault,
    giveUp() {
      isLast = true;
    },
  };
}
