import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { rejectUnusedMethods } from './errors.ts';
import { limitOpenBodies, MAX_OPEN_BODIES } from './open-bodies.ts';
import { MAX_HEADERS, rejectInvalidHeaders } from './header-count.ts';
import { admitFairly } from './admission.ts';
import type { FairQueue } from './fair-queue.ts';
import { reportResponseStart } from './response-start.ts';
import { handleTusMethods } from './tus-methods.ts';
import { createRequestContext, type FailureSink } from './request-context.ts';
import { setSecurityHeaders } from './security-headers.ts';
import type { Config } from '../service/config.ts';
import type { Logger } from '../service/logger.ts';
import type { HttpMetrics } from '../service/metrics.ts';

/**
 * The time after which an idle connection is closed. Proxies in front of this process close idle connections earlier,
 * so a connection is never closed while a proxy sends a request on it.
 */
const KEEP_ALIVE_ms = 65_000;
const HEADERS_TIMEOUT_ms = 20_000;
/** The maximum time for receiving a request. It is long enough to upload five large files over a slow connection. */
const REQUEST_TIMEOUT_ms = 15 * 60_000;
/** The interval at which the time limits for headers and requests are checked. */
const LIMIT_CHECK_INTERVAL_ms = 5_000;
const MAX_HEADER_bytes = 16 * 1024;

export interface AppOptions {
  /** Number of proxies in front of this process whose `X-Forwarded-*` headers are trusted. */
  readonly trustedProxies: number;
  readonly log: Logger;
  readonly metrics: HttpMetrics;
  /** Handlers that run before all others. Requests that they handle are neither counted nor logged. */
  readonly firstHandlers?: readonly RequestHandler[];
  /** Maximum number of headers of a request. */
  readonly maxHeaders?: number;
  /** Maximum number of request bodies that one network address may send at a time. */
  readonly maxOpenBodies?: number;
  /** The queue in which requests wait for their turn. By default, they do not wait. */
  readonly queue?: FairQueue;
  /** The beginning of the paths whose requests come from other services and do not wait. By default, there are none. */
  readonly internalPath?: string;
  /** Receives the requests with an error response. By default, they are only logged. */
  readonly failureSink?: FailureSink;
  /** True if only services of this installation call this process, so that it follows their decisions about traces. */
  readonly isBehindGateway?: boolean;
}

/**
 * Creates the Express application of a process. Every response has a request id and security headers. Every request is
 * counted and logged.
 */
export function createApp({
  trustedProxies,
  log,
  metrics,
  firstHandlers = [],
  maxHeaders = MAX_HEADERS,
  maxOpenBodies = MAX_OPEN_BODIES,
  queue,
  internalPath,
  failureSink,
  isBehindGateway = false,
}: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.set('trust proxy', trustedProxies);
  app.use(setSecurityHeaders());
  for (const handler of firstHandlers) app.use(handler);
  app.use(createRequestContext(log, metrics, { isBehindGateway, ...(failureSink && { failureSink }) }));
  app.use(rejectInvalidHeaders(maxHeaders));
  app.use(limitOpenBodies(maxOpenBodies));
  app.use(handleTusMethods);
  app.use(rejectUnusedMethods);
  if (queue) app.use(admitFairly(queue, internalPath ?? null));
  return app;
}

/** Creates an HTTP server with time limits, so that slow clients cannot occupy its connections. */
export function createHttpServer(app: Express): Server {
  const server = createServer(
    {
      ...createMessageClasses(app),
      keepAliveTimeout: KEEP_ALIVE_ms,
      headersTimeout: HEADERS_TIMEOUT_ms,
      requestTimeout: REQUEST_TIMEOUT_ms,
      connectionsCheckingInterval: LIMIT_CHECK_INTERVAL_ms,
      maxHeaderSize: MAX_HEADER_bytes,
    },
    app,
  );
  // 0 means no limit. With a limit, Node drops further headers without an error. A client could then send so many
  // headers that the `X-Forwarded-For` header of a proxy is dropped. `hasTooManyHeaders` limits the number of headers
  // instead.
  server.maxHeadersCount = 0;
  return server;
}

/** Starts listening and returns the actual port. If the configured port is 0, the operating system chooses the port. */
export function startListening(server: Server, { port, host }: Pick<Config, 'port' | 'host'>): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/**
 * The interval at which a closing server closes connections whose request has ended. Otherwise, they would stay open
 * for the keep-alive time.
 */
const CLOSE_IDLE_INTERVAL_ms = 100;

/**
 * Stops accepting connections, calls `drain`, and waits for the running requests. Aborts requests that take longer than
 * `limit_ms`.
 */
export async function closeServer(server: Server, drain: () => Promise<void>, limit_ms: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  await drain();
  const abortTimer = setTimeout(() => server.closeAllConnections(), limit_ms);
  const idleTimer = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_ms);
  await closed;
  clearTimeout(abortTimer);
  clearInterval(idleTimer);
}

/**
 * Returns request and response classes that already have the prototypes of Express. Otherwise, Express replaces the
 * prototype of each request object. V8 then creates a hidden class for every property, which makes Express several
 * times slower (decision 0029).
 */
function createMessageClasses(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {
    override writeHead(...args: readonly unknown[]): this {
      reportResponseStart(this);
      return (super.writeHead as (...all: readonly unknown[]) => this)(...args);
    }
  }
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  app.request = AppRequest.prototype as Request;
  app.response = AppResponse.prototype as unknown as Response;
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
