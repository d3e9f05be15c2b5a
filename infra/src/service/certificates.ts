import net from 'node:net';
import tls from 'node:tls';
import type { Config } from './config.ts';
import { registerGauge, type Metrics } from './metrics.ts';

/** A server that presents a TLS certificate. */
export interface TlsEndpoint {
  /** The name in the metrics. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** True if the client must request TLS in the protocol of Postgres first. */
  readonly isPostgres?: boolean;
}

/** The time limit of a read. It is shorter than the one of a metric. */
const READ_LIMIT_ms = 1_500;
/** The time for which a certificate is not read again. */
const READ_EVERY_ms = 10 * 60_000;
const HTTPS = 443;
const POSTGRES = 5_432;
const REDIS = 6_379;
const EVENTSTORE = 2_113;
/** The message of Postgres that requests TLS. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

type Addresses = Pick<Config, 'siteUrl' | 'databaseUrl' | 'eventStoreUrl' | 'redisUrl' | 's3'>;

/** Returns the site and the backing services that the configuration reaches with TLS. */
export function tlsEndpoints({ siteUrl, databaseUrl, eventStoreUrl, redisUrl, s3 }: Addresses): readonly TlsEndpoint[] {
  const endpoint = (name: string, address: string | null | undefined, protocol: string, port: number) => {
    const url = address ? new URL(address) : null;
    return url?.protocol === protocol ? [{ name, host: hostOf(url), port: Number(url.port || port) }] : [];
  };
  return [
    ...endpoint('site', siteUrl, 'https:', HTTPS),
    ...postgresEndpoint(databaseUrl),
    ...eventStoreEndpoint(eventStoreUrl),
    ...endpoint('redis', redisUrl, 'rediss:', REDIS),
    ...endpoint('s3', s3?.endpoint, 'https:', HTTPS),
  ];
}

/** Returns the host of a URL without the brackets of an IPv6 address. */
const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/gu, '');

function postgresEndpoint(address: string | null): readonly TlsEndpoint[] {
  if (address === null) return [];
  const url = new URL(address);
  const host = url.searchParams.get('host') ?? hostOf(url);
  const usesTls = /^(?:require|verify-ca|verify-full)$/u.test(url.searchParams.get('sslmode') ?? '');
  // A path is the folder of a local socket.
  if (!usesTls || host === '' || host.startsWith('/')) return [];
  const port = Number(url.searchParams.get('port') ?? (url.port || POSTGRES));
  return [{ name: 'postgres', host, port, isPostgres: true }];
}

/** The address of EventStoreDB may have several hosts, and is then no valid URL. The first host is used. */
function eventStoreEndpoint(address: string | null): readonly TlsEndpoint[] {
  const [, host, port, query = ''] =
    /:\/\/(?:[^@/?]*@)?([^:/?,]+)(?::(\d+))?[^?]*(?:\?(.*))?$/u.exec(address ?? '') ?? [];
  if (host === undefined || new URLSearchParams(query.toLowerCase()).get('tls') === 'false') return [];
  return [{ name: 'eventstore', host, port: Number(port ?? EVENTSTORE) }];
}

/**
 * Registers the time, in seconds, for which the certificates of the endpoints remain valid. It is negative when one has
 * expired. A server that cannot be reached has no value. Connections are opened at most every ten minutes.
 */
export function registerCertificateMetrics(registry: Metrics, endpoints: readonly TlsEndpoint[]): void {
  const known = new Map<TlsEndpoint, { readonly end_ms: number; readonly readAt_ms: number }>();
  async function endOf_ms(endpoint: TlsEndpoint): Promise<number | null> {
    const stored = known.get(endpoint);
    if (stored && Date.now() - stored.readAt_ms < READ_EVERY_ms) return stored.end_ms;
    known.delete(endpoint);
    const end_ms = await readCertificateEnd_ms(endpoint).catch(() => null);
    if (end_ms !== null) known.set(endpoint, { end_ms, readAt_ms: Date.now() });
    return end_ms;
  }
  registerGauge(
    registry,
    'certificate_remaining_seconds',
    'Time until the TLS certificate of the site or of a backing service expires',
    async () => {
      const ends = await Promise.all(
        endpoints.map(async (endpoint) => {
          const end_ms = await endOf_ms(endpoint);
          return end_ms === null ? [] : [[endpoint.name, (end_ms - Date.now()) / 1_000] as const];
        }),
      );
      return Object.fromEntries(ends.flat());
    },
    'name',
  );
}

/**
 * Connects to a server and returns the time at which its certificate expires, in ms since 1970. Rejects if the server
 * does not present a certificate within 1.5 s.
 */
export function readCertificateEnd_ms({ host, port, isPostgres = false }: TlsEndpoint): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port });
    const timer = setTimeout(() => fail(new Error('The server did not present a certificate in time')), READ_LIMIT_ms);
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    socket.once('error', fail);
    socket.once('close', () => fail(new Error('The server has closed the connection')));
    const startTls = () => {
      const secured = tls.connect({
        socket,
        // A name is sent only if it is no IP address (RFC 6066).
        ...(net.isIP(host) === 0 && { servername: host }),
        // No data is sent over this connection. An expired certificate must be read, too.
        rejectUnauthorized: false,
      });
      secured.once('error', fail);
      secured.once('secureConnect', () => {
        const end_ms = Date.parse(secured.getPeerCertificate().valid_to);
        clearTimeout(timer);
        resolve(end_ms);
        secured.destroy();
      });
    };
    socket.once('connect', () => {
      if (!isPostgres) return startTls();
      socket.once('data', (response) =>
        response.toString('latin1') === 'S' ? startTls() : fail(new Error('Postgres does not offer TLS')),
      );
      return void socket.write(SSL_REQUEST);
    });
  });
}
