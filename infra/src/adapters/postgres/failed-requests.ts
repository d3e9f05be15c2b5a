import type { Pool } from 'pg';
import type { FailedRequest } from '../../http/request-context.ts';
import { createBudget } from '../../service/budget.ts';
import { createFailureLog } from '../../service/failure-log.ts';
import type { Logger } from '../../service/logger.ts';
import { isOutage } from './errors.ts';

/** A row of `ops.failed_requests`: a request and its error response. */
export interface StoredFailedRequest extends FailedRequest {
  /** The time of the response. */
  readonly at: Date;
  readonly service: string;
}

const FLUSH_ms = 1_000;
/** Maximum number of requests that wait to be written. Further ones are only logged. */
const MAX_WAITING = 500;
/**
 * Limits for one process, so that a flood of invalid requests does not become a flood of writes: the number of requests
 * at once, and per second. Each kind has its own limit, so that others cannot displace it. Anyone can send reports of
 * pages.
 */
const LIMITS = {
  client: { burst: 100, perSecond: 2 },
  page: { burst: 50, perSecond: 1 },
  server: { burst: 300, perSecond: 20 },
} as const;
const MAX_CAUSE_characters = 300;
const MAX_FOUND = 20;

/**
 * Creates the record of requests with an error response (`ops.failed_requests`). Each error that a user sees has the id
 * of its request, and admins find the request with it. Requests are written once a second. If the process is killed,
 * those of the last second are only in the log.
 */
export function createFailedRequests({
  pool,
  service,
  log,
  now_ms = () => performance.now(),
}: {
  readonly pool: Pool;
  readonly service: string;
  readonly log: Logger;
  readonly now_ms?: () => number;
}) {
  const failureLog = createFailureLog();
  const budgets = {
    client: createBudget(LIMITS.client, now_ms),
    page: createBudget(LIMITS.page, now_ms),
    server: createBudget(LIMITS.server, now_ms),
  };
  let waiting: StoredFailedRequest[] = [];

  let flushing: Promise<void> | null = null;

  /** Writes the waiting requests. A write that takes longer than the interval is not joined by another one. */
  function flush(): Promise<void> {
    flushing ??= write().finally(() => (flushing = null));
    return flushing;
  }

  async function write(): Promise<void> {
    if (waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    try {
      await insert(pool, batch);
      failureLog.reset('write');
    } catch (err) {
      // Any other error would come again with the same rows, and no further request would be recorded.
      const isTemporary = isOutage(err);
      if (isTemporary) waiting = [...batch, ...waiting].slice(0, MAX_WAITING);
      const failures = failureLog.count('write');
      if (failures !== null)
        log.warn(
          { err, failures, requests: batch.length },
          isTemporary
            ? 'failed requests could not be recorded, trying again'
            : 'failed requests could not be recorded, and are only in the log',
        );
    }
  }

  const timer = setInterval(() => void flush(), FLUSH_ms);
  timer.unref();
  return {
    /** Records a request, unless the limits are reached. */
    record(request: FailedRequest): void {
      const budget = budgets[kindOf(request)];
      if (waiting.length < MAX_WAITING && budget()) waiting.push({ ...request, at: new Date(), service });
    },
    /** Writes the remaining requests and stops the timer. */
    async stop(): Promise<void> {
      clearInterval(timer);
      // A write that takes place does not contain the last requests.
      await flushing;
      await flush();
    },
  };
}

/** A report of a page is a request with a successful response. */
function kindOf({ status }: FailedRequest): keyof typeof LIMITS {
  if (status >= 500) return 'server';
  return status >= 400 ? 'client' : 'page';
}

/** Returns a text that Postgres can store: without NUL characters, and not too long. */
function toStorable(text: string | null): string | null {
  return text?.replaceAll('\0', '').slice(0, MAX_CAUSE_characters) ?? null;
}

async function insert(pool: Pool, requests: readonly StoredFailedRequest[]): Promise<void> {
  const column = <Name extends keyof StoredFailedRequest>(name: Name) => requests.map((request) => request[name]);
  await pool.query({
    name: 'failed-requests-add',
    text: `insert into ops.failed_requests (request_id, at, service, method, path, status, code, cause, duration_ms)
           select * from unnest($1::text[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::smallint[],
                                $7::text[], $8::text[], $9::integer[])`,
    values: [
      column('requestId'),
      column('at'),
      column('service'),
      column('method'),
      column('path'),
      column('status'),
      column('code'),
      column('cause').map(toStorable),
      column('duration_ms'),
    ],
  });
}

/** Returns the first recorded requests with one of these ids, the oldest first. */
export async function findFailedRequests(pool: Pool, ids: readonly string[]): Promise<readonly StoredFailedRequest[]> {
  const { rows } = await pool.query<StoredFailedRequest>({
    name: 'failed-requests-find',
    text: `select request_id as "requestId", at, service, method, path, status, code, cause, duration_ms
             from ops.failed_requests where request_id = any($1) order by at limit ${MAX_FOUND}`,
    values: [ids],
  });
  return rows;
}

/** Returns the ids of the recorded requests that begin with a text, e.g. with the reference of an error message. */
export async function findFailedRequestIds(pool: Pool, beginning: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'failed-requests-ids',
    // The characters of ids are before `~` in the order of the index.
    text: `select distinct request_id as id from ops.failed_requests
            where request_id >= $1 and request_id < $1 || '~' order by 1 limit ${MAX_FOUND}`,
    values: [beginning],
  });
  return rows.map(({ id }) => id);
}
