import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../service/logger.ts';
import type { HttpMetrics } from '../service/metrics.ts';
import { isSystemCorrelationId } from '../service/system-correlation-ids.ts';
import { onClose } from './close-signal.ts';
import { toLoggablePath, toSpanPath } from './loggable-path.ts';
import { findOperation } from './request-operation.ts';
import {
  isMarkedRecorded,
  parseTraceparent,
  toTraceId,
  toUnrecordedTraceparent,
  type TraceContext,
} from '../tracing/trace-ids.ts';
import type { Span } from '../tracing/spans.ts';
import { beginsTrace, isTracing, mayRecordFailure, startSpanAt } from '../tracing/tracing.ts';

const BUSY_LOG_INTERVAL_ms = 60_000;
const REQUEST_ID = /^[\w.-]{8,64}$/u;

/**
 * Returns the id of the current request. This is the `X-Request-Id` that the client has sent, if it is valid, or the
 * trace id of its `traceparent`, or a new UUID.
 */
export function getRequestId(res: Response): string {
  return res.locals['requestId'] as string;
}

/** The spans of requests. A property of the response would make it slow. */
const spans = new WeakMap<object, Span>();

/**
 * Returns the value of the header `traceparent` for everything that the current request causes. Undefined if its trace
 * is not recorded.
 */
export function getTraceparent(res: object): string | undefined {
  return spans.get(res)?.traceparent;
}

/**
 * Returns the value of the header `traceparent` for the service to which the gateway forwards the request. It marks the
 * trace as recorded only if the gateway records it, because services follow this mark. Undefined if the gateway records
 * no spans and the caller has sent none.
 */
export function createForwardedTraceparent(req: Request, res: Response): string | undefined {
  const recorded = getTraceparent(res);
  if (recorded !== undefined) return recorded;
  const caller = parseTraceparent(req.get('traceparent'));
  if (caller === null && !isTracing()) return undefined;
  return toUnrecordedTraceparent(caller ?? { traceId: toTraceId(getRequestId(res)), spanId: null });
}

/** A request with an error response, for `FailureSink.record`. */
export interface FailedRequest {
  readonly requestId: string;
  readonly method: string;
  /** The path without the query and without unknown segments. */
  readonly path: string;
  readonly status: number;
  /** The code of the error, or null if the response is not one of our error responses. */
  readonly code: string | null;
  readonly duration_ms: number;
  /** The name and the code of the error that the response does not contain. Null if there is none. */
  readonly cause: string | null;
}

/** The error code and the cause of an error response, which the error handler passes on. */
interface RequestFailure extends Pick<FailedRequest, 'cause'> {
  readonly code: string;
}

const failures = new WeakMap<object, RequestFailure>();

/** Records why the response of the current request is an error, or the error of a page that the request reports. */
export function setFailure(res: object, failure: RequestFailure): void {
  failures.set(res, failure);
}

/** Receives the requests with an error response. It is set after the start, because it needs the database. */
export interface FailureSink {
  record: ((request: FailedRequest) => void) | null;
}

export interface RequestContextOptions {
  /**
   * True if only services of this installation call this process. Whether the trace of a request is recorded is then
   * the decision of the caller. Otherwise, this process decides, because anyone can send `traceparent`.
   */
  readonly isBehindGateway?: boolean;
  readonly failureSink?: FailureSink;
}

/**
 * Creates a handler that assigns an id to each request, and measures and logs the request. The log level is `error` for
 * server errors, `warn` for temporary ones (status 503), `info` for writes and client errors, and `debug` for reads.
 * The log contains neither the query string nor unknown path segments.
 */
export function createRequestContext(
  log: Logger,
  metrics: HttpMetrics,
  { isBehindGateway = false, failureSink }: RequestContextOptions = {},
): RequestHandler {
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
    const traceparent = req.get('traceparent') ?? '';
    const caller = parseTraceparent(traceparent);
    const requestId = findSentId(req) ?? caller?.traceId ?? randomUUID();
    res.locals['requestId'] = requestId;
    res.setHeader('X-Request-Id', requestId);
    if (isTracing()) {
      const hasDecision = isBehindGateway && caller !== null;
      const isCallerRecorded = isMarkedRecorded(traceparent);
      // A collector never receives the span of a caller that does not record it, e.g. of our pages. With such a parent,
      // the trace would have no beginning there.
      const parent = isCallerRecorded ? caller : caller && { ...caller, spanId: null };
      traceRequest(req, res, parent, hasDecision ? isCallerRecorded : beginsTrace());
    }
    res.once('finish', () => {
      const duration_ms = Number(process.hrtime.bigint() - started) / 1e6;
      metrics.observe(req.method, res.statusCode, duration_ms / 1000);
      const isBusy = res.locals['isBusy'] === true;
      if (isBusy) recordBusy();
      const failure = failures.get(res);
      if (failureSink?.record && !isBusy && (failure || res.statusCode >= 400) && !isFrequent(req, res)) {
        const { code = null, cause = null } = failure ?? {};
        const { method, originalUrl } = req;
        const failed = { requestId, method, path: toLoggablePath(originalUrl), status: res.statusCode, code, cause };
        failureSink.record({ ...failed, duration_ms: Math.round(duration_ms) });
      }
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

/** Returns the `X-Request-Id` that the client has sent, or undefined if it is invalid or an id of the system. */
function findSentId(req: Request): string | undefined {
  const id = REQUEST_ID.exec(req.get('x-request-id') ?? '')?.[0];
  return id === undefined || isSystemCorrelationId(id) ? undefined : id;
}

/**
 * Returns true for the errors that are frequent and need no help: a rate limit, and a path or method that does not
 * exist. They must not take the place of useful errors in the record.
 */
function isFrequent(req: Request, { statusCode }: Response): boolean {
  return statusCode === 429 || ((statusCode === 404 || statusCode === 405) && findOperation(req) === null);
}

function levelOf(method: string, status: number): 'error' | 'warn' | 'info' | 'debug' {
  if (status >= 500) return status === 503 ? 'warn' : 'error';
  return method === 'GET' && status < 400 ? 'debug' : 'info';
}

/**
 * Records the span of a request until its response is sent or its client has disconnected. A request whose trace is not
 * recorded has a span only if it fails with a server error, up to a limit. Requests that are rejected because their
 * network sends too many have none.
 */
function traceRequest(req: Request, res: Response, parent: TraceContext | null, isRecorded: boolean): void {
  const startedAt_ms = Date.now();
  const begin = () => {
    const place = parent ?? { traceId: toTraceId(getRequestId(res)), spanId: null };
    return startSpanAt(req.method, place, { kind: 'server', startedAt_ms });
  };
  if (isRecorded) {
    const begun = begin();
    if (begun) spans.set(res, begun);
  }
  onClose(res, () => {
    const hasFailed = res.statusCode >= 500;
    const isUnexpected = hasFailed && res.locals['isBusy'] !== true;
    const span = spans.get(res) ?? (isUnexpected && mayRecordFailure() ? begin() : null);
    if (span === null) return;
    const route = findOperation(req)?.operation.path;
    const path = route === undefined ? toSpanPath(req.originalUrl) : `/api${route}`;
    const code = failures.get(res)?.code;
    span.end({
      name: `${req.method} ${path}`,
      hasFailed,
      attributes: {
        'http.request.method': req.method,
        'http.route': path,
        'http.response.status_code': res.statusCode,
        'alpenglow.request.id': getRequestId(res),
        ...(code !== undefined && { 'error.type': code }),
        ...(!res.writableFinished && { 'alpenglow.request.aborted': true }),
      },
    });
  });
}
