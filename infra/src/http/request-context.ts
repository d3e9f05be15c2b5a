import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { Logger } from '../logger.ts';
import type { HttpMetrics } from '../metrics.ts';
import { loggablePath } from './loggable-path.ts';

const REQUEST_ID = /^[\w.-]{8,64}$/u;

/** The id of the request being answered: the client's `X-Request-Id` where it is a sane one, else a fresh UUID. */
export function requestIdOf(res: Response): string {
  return res.locals['requestId'] as string;
}

/** Gives each request its id, counts and times it, and logs it: writes and failures at `info`, reads at `debug`. Queries, and what somebody wrote into a path, stay out of the log. */
export function requestContext(log: Logger, metrics: HttpMetrics): RequestHandler {
  return (req, res, next) => {
    const started = process.hrtime.bigint();
    const given = req.get('x-request-id');
    const requestId = given !== undefined && REQUEST_ID.test(given) ? given : randomUUID();
    res.locals['requestId'] = requestId;
    res.setHeader('X-Request-Id', requestId);
    res.once('finish', () => {
      const duration_ms = Number(process.hrtime.bigint() - started) / 1e6;
      metrics.observe(req.method, res.statusCode, duration_ms / 1000);
      const level = res.statusCode >= 500 ? 'error' : req.method === 'GET' && res.statusCode < 400 ? 'debug' : 'info';
      if (log.isLevelEnabled(level))
        log[level](
          {
            requestId,
            method: req.method,
            path: loggablePath(req.originalUrl),
            status: res.statusCode,
            duration_ms: Math.round(duration_ms),
          },
          'request',
        );
    });
    next();
  };
}
