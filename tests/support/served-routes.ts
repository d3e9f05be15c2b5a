import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  createLogger,
  createMetrics,
  createErrorHandler,
  createHttpMetrics,
  createRequestContext,
} from '@alpenglow/infra';
import express, { type RequestHandler } from 'express';

export interface ServedRoutes {
  /** URL of the form `http://127.0.0.1:port`. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Serves only some routes of the product below `path`, with its common middleware. Tests use it to serve routes with a
 * failing backing service.
 */
export async function serveRoutes(path: string, routes: RequestHandler): Promise<ServedRoutes> {
  const log = createLogger('silent');
  const server = express()
    .use(
      createRequestContext(log, createHttpMetrics(createMetrics())),
      express.Router().use(path, routes),
      createErrorHandler(log),
    )
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
