import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { usualMethods } from './errors.ts';
import { requestContext } from './request-context.ts';
import { securityHeaders } from './security-headers.ts';
import type { Logger } from '../logger.ts';
import type { HttpMetrics } from '../metrics.ts';

/** Longer than any proxy of ours keeps an unused connection, so that it is never closed while a request is on its way. */
const KEEP_ALIVE_ms = 65_000;
const HEADERS_LIMIT_ms = 20_000;
/** A post may bring five large files over a slow line. */
const REQUEST_LIMIT_ms = 15 * 60_000;
/** How often the two limits are looked after. */
const LOOK_EVERY_ms = 5_000;
const MAX_HEADER_bytes = 16 * 1024;
const MAX_HEADERS = 100;

export interface AppOptions {
  /** How many proxies before us we believe about whom a request comes from. */
  readonly trustedProxies: number;
  readonly log: Logger;
  readonly metrics: HttpMetrics;
  /** Comes before everything else, uncounted and unlogged. */
  readonly first?: readonly RequestHandler[];
}

/** What every process answers with: an application whose answers carry a request id and security headers, and are counted and logged. */
export function createApp({ trustedProxies, log, metrics, first = [] }: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.set('trust proxy', trustedProxies);
  app.use(securityHeaders());
  for (const handler of first) app.use(handler);
  app.use(requestContext(log, metrics));
  app.use(usualMethods);
  return app;
}

/** A server on which nobody holds a connection up by sending slowly. */
export function createHttpServer(app: Express): Server {
  const server = createServer(
    {
      ...bornOf(app),
      keepAliveTimeout: KEEP_ALIVE_ms,
      headersTimeout: HEADERS_LIMIT_ms,
      requestTimeout: REQUEST_LIMIT_ms,
      connectionsCheckingInterval: LOOK_EVERY_ms,
      maxHeaderSize: MAX_HEADER_bytes,
    },
    app,
  );
  server.maxHeadersCount = MAX_HEADERS;
  return server;
}

/**
 * Classes of requests and answers that are Express's from their birth. Express gives each request another prototype otherwise, after which V8
 * takes every property it is given for a new shape: that alone makes Express several times slower (decision 0029).
 */
function bornOf(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  app.request = AppRequest.prototype as Request;
  app.response = AppResponse.prototype as unknown as Response;
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
