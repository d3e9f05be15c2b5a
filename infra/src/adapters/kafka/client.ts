import net from 'node:net';
import tls from 'node:tls';
import type { ISocketFactory, LogEntry } from 'kafkajs';
import type { KafkaConfig } from '../../service/config.ts';
import type { Logger } from '../../service/logger.ts';
import { patchRequestQueue } from './patch-request-queue.ts';

export type KafkaClient = Awaited<ReturnType<typeof createKafkaClient>>;

const CONNECT_ms = 3_000;
const REQUEST_ms = 5_000;
const KEEP_ALIVE_ms = 60_000;
/**
 * The Kafka client retries a failed request for 1.5 s in total. After that, its callers log the failure and retry with
 * a new connection.
 */
export const KAFKA_RETRY = { initialRetryTime: 100, factor: 0.2, multiplier: 2, maxRetryTime: 1_000, retries: 4 };

/**
 * Creates a Kafka client that is not connected yet. Loads the Kafka library only on the first call, because
 * installations without Kafka do not need it.
 */
export async function createKafkaClient({ brokers, tls, login }: KafkaConfig, log: Logger) {
  const { Kafka, logLevel, Partitioners } = await import('kafkajs');
  await patchRequestQueue();
  const sockets = new Set<net.Socket>();
  let isClosed = false;
  const levels = {
    [logLevel.NOTHING]: 'silent',
    [logLevel.ERROR]: 'info',
    [logLevel.WARN]: 'info',
    [logLevel.INFO]: 'debug',
    [logLevel.DEBUG]: 'trace',
  } as const;

  /**
   * Logs an entry of the Kafka client at a lower level, because the client itself retries after an error. The callers
   * of the client log the final failure.
   */
  function write({ namespace, level, log: entry }: LogEntry): void {
    const { message, timestamp: _, logger: __, ...details } = entry;
    log[levels[level]]({ ...details, kafka: namespace }, message);
  }

  const kafka = new Kafka({
    clientId: 'alpenglow',
    brokers: [...brokers],
    ssl: tls,
    ...(login && { sasl: { mechanism: 'scram-sha-512' as const, ...login } }),
    connectionTimeout: CONNECT_ms,
    requestTimeout: REQUEST_ms,
    retry: KAFKA_RETRY,
    logLevel: log.isLevelEnabled('trace')
      ? logLevel.DEBUG
      : log.isLevelEnabled('debug')
        ? logLevel.INFO
        : log.isLevelEnabled('info')
          ? logLevel.WARN
          : logLevel.NOTHING,
    logCreator: () => write,
    socketFactory: (to) => {
      const socket = open(to);
      if (isClosed) return socket.destroy();
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
  });
  return {
    kafka,
    partitioners: Partitioners,
    /**
     * Closes all connections of this client permanently. The library's own `disconnect` is not enough, because it may
     * hang, or miss a connection that is being opened.
     */
    closeConnections(): void {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Opens a socket to a Kafka server in the same way as the library's own socket factory. */
const open: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  // Without TLS, `ssl` is null at run time, although its type does not include null.
  const options = ssl as tls.ConnectionOptions | null;
  const socket = options
    ? tls.connect({ host, port, ...(net.isIP(host) === 0 && { servername: host }), ...options }, onConnect)
    : net.connect({ host, port }, onConnect);
  return socket.setKeepAlive(true, KEEP_ALIVE_ms);
};

/**
 * Returns the result of `work`. Rejects if `work` takes longer than `limit_ms` or if the signal aborts. `work` then
 * continues, but its result is ignored.
 */
export async function withLimits<T>(
  work: Promise<T>,
  { limit_ms = null, signal = null }: { readonly limit_ms?: number | null; readonly signal?: AbortSignal | null },
): Promise<T> {
  signal?.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let cancel: () => void = () => undefined;
  const canceled = new Promise<never>((_, reject) => {
    if (limit_ms !== null)
      timer = setTimeout(() => reject(new Error(`Kafka did not respond within ${limit_ms} ms`)), limit_ms);
    cancel = () => reject(new Error('Canceled'));
    signal?.addEventListener('abort', cancel, { once: true });
  });
  try {
    return await Promise.race([work, canceled]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}
