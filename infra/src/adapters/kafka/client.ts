import net from 'node:net';
import tls from 'node:tls';
import type { ISocketFactory, Kafka, LogEntry, Partitioners } from 'kafkajs';
import type { KafkaConfig } from '../../config.ts';
import type { Logger } from '../../logger.ts';
import { lookOnlyWhileRequestsWait } from './waiting-requests.ts';

export interface KafkaClient {
  readonly kafka: Kafka;
  readonly partitioners: typeof Partitioners;
  /** Ends every connection of this client, for good: disconnecting may hang, or forget a connection that is just being made. */
  letGo(): void;
}

const CONNECT_ms = 3_000;
const REQUEST_ms = 5_000;
const KEEP_ALIVE_ms = 60_000;
/** A short row of attempts, 1.5 s in all: whoever uses the client tries again with a new connection, and says so in the log. */
export const RETRY = { initialRetryTime: 100, factor: 0.2, multiplier: 2, maxRetryTime: 1_000, retries: 4 };

/** A client that has not connected yet. Loaded when first asked for: the embedded default does without. */
export async function createKafkaClient({ brokers, tls, login }: KafkaConfig, log: Logger): Promise<KafkaClient> {
  const { Kafka, logLevel, Partitioners } = await import('kafkajs');
  await lookOnlyWhileRequestsWait();
  const sockets = new Set<net.Socket>();
  let isLetGo = false;
  const levels = {
    [logLevel.NOTHING]: 'silent',
    [logLevel.ERROR]: 'info',
    [logLevel.WARN]: 'info',
    [logLevel.INFO]: 'debug',
    [logLevel.DEBUG]: 'trace',
  } as const;

  /** What the client calls an error is one attempt of several. Whether they failed in the end is told by us. */
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
    retry: RETRY,
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
      if (isLetGo) return socket.destroy();
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
  });
  return {
    kafka,
    partitioners: Partitioners,
    letGo() {
      isLetGo = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** As the library's own factory does it. */
const open: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  // What is null here at run time is no TLS.
  const options = ssl as tls.ConnectionOptions | null;
  const socket = options
    ? tls.connect({ host, port, ...(net.isIP(host) === 0 && { servername: host }), ...options }, onConnect)
    : net.connect({ host, port }, onConnect);
  return socket.setKeepAlive(true, KEEP_ALIVE_ms);
};

/** What the work comes to, unless it takes longer or the signal aborts; then it goes on unheard and this rejects. */
export async function bounded<T>(
  work: Promise<T>,
  { limit_ms = null, signal = null }: { readonly limit_ms?: number | null; readonly signal?: AbortSignal | null },
): Promise<T> {
  signal?.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let giveUp: () => void = () => undefined;
  const cut = new Promise<never>((_, reject) => {
    if (limit_ms !== null)
      timer = setTimeout(() => reject(new Error(`Kafka did not answer within ${limit_ms} ms`)), limit_ms);
    giveUp = () => reject(new Error('Given up'));
    signal?.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([work, cut]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}
