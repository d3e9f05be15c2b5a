import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createLogger, createMetrics, errorHandler, httpMetrics, requestContext } from '@alpenglow/infra';
import express, { type Router } from 'express';

export interface ServedRoutes {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  stop(): Promise<void>;
}

/** Routes alone, below a path, with what every request of the product passes: for engines that fail when the test says. */
export async function serveRoutes(path: string, routes: Router): Promise<ServedRoutes> {
  const log = createLogger('silent');
  const server = express()
    .use(requestContext(log, httpMetrics(createMetrics())), express.Router().use(path, routes), errorHandler(log))
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
