import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createLogger, createPositionTokens, createErrorHandler, providePositions } from '@alpenglow/infra';
import express, { type RequestHandler } from 'express';
import { assignRequestId } from './assign-request-id.ts';

export interface ServedRoutes {
  /** URL of the form `http://127.0.0.1:port`. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts a server that serves only the given routes of the product, below `path`. The server uses the common middleware
 * of the product. Tests use it to simulate a failing backing service, such as a database.
 */
export async function serveRoutes(path: string, routes: RequestHandler): Promise<ServedRoutes> {
  const server = express()
    .use(
      assignRequestId,
      providePositions(createPositionTokens('ab'.repeat(32))),
      express.Router().use(path, routes),
      createErrorHandler(createLogger('silent')),
    )
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
