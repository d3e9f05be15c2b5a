import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { Logger } from '../service/logger.ts';
import type { HttpMetrics } from '../service/metrics.ts';
import { toLoggablePath } from './loggable-path.ts';

const BUSY_LOG_INTERVAL_ms = 60_000;
const REQUEST_ID = /^[\w.-]{8,64}$/u;

/**
 * Returns the id of the current request. This is the `X-Request-Id` that the client has sent, if it is valid, or a new
 * UUID.
 */
export function getRequestId(res: Response): string {
  return res.locals['requestId'] as string;
}

/**
 * Creates a handler that assigns an id to each request, and measures and logs the request. The log level is `error` for
 * server errors, `warn` for temporary ones (status 503), `info` for writes and client errors, and `debug` for reads.
 * The log contains neither the query string nor unknown path segments.
 */
export function createRequestContext(log: Logger, metrics: HttpMetrics): RequestHandler {
  let loggedBusyAt_ms = -Infinity;

  /** Counts a request that was rejected because its network sends too many. Logs this once a minute. */
  function recordBusy(): void {
    metrics.countBusy();
    if (performance.now() - loggedBusyAt_ms < BUSY_LOG_INTERVAL_ms) return;
    loggedBusyAt_ms = performance.now();
    log.warn({}, 'a network sends more requests than it gets processor time for: its requests are rejected');
  }

  return (req, res, next) => {
    const started = process.hrtime.bigint();
    const requestId = REQUEST_ID.exec(req.get('x-request-id') ?? '')?.[0] ?? randomUUID();
    res.locals['requestId'] = requestId;
    res.setHeader('X-Request-Id', requestId);
    res.once('finish', () => {
      const duration_ms = Number(process.hrtime.bigint() - started) / 1e6;
      metrics.observe(req.method, res.statusCode, duration_ms / 1000);
      const isBusy = res.locals['isBusy'] === true;
      if (isBusy) recordBusy();
      const level = isBusy ? 'debug' : levelOf(req.method, res.statusCode);
      if (log.isLevelEnabled(level))
        log[level](
          {
            requestId,
            method: req.method,
            path: toLoggablePath(req.originalUrl),
            status: res.statusCode,
            duration_ms: Math.round(duration_ms),
          },
          'request',
        );
    });
    next();
  };
}

function levelOf(method: string, status: number): 'error' | 'warn' | 'info' | 'debug' {
  if (status >= 500) return status === 503 ? 'warn' : 'error';
  return method === 'GET' && status < 400 ? 'debug' : 'info';
}
