import { removal, REMOVAL_WARNINGS_h } from '@alpenglow/domain';
import { recordRemovalErasure, warnAboutRemoval } from '@alpenglow/domain/deciders';
import { REMOVAL_REQUESTS } from '@alpenglow/infra';
import { attemptEach } from './attempt-each.ts';
import type { Dependencies } from './dependencies.ts';
import { systemOrigin } from './system-origin.ts';

/** Maximum number of requests of one run. The next run continues with the rest. */
const MAX_AT_ONCE = 500;
const WARN_TASK = 'warn-about-removals';
const ERASE_TASK = 'erase-removal-data';

type WarnDependencies = Dependencies<'pool' | 'commands' | 'log'>;

/**
 * Records the warnings about removal requests that have waited too long. The job of each recorded warning
 * mails staff. The read model lists the waiting requests, and `warnAboutRemoval` then checks the events, so a warning
 * is recorded once. A request that fails does not stop the others. The promise then rejects with `ItemsFailed` at the
 * end. Rejects at once if `signal` aborts.
 */
export async function warnAboutRemovals(
  { pool, commands, log }: WarnDependencies,
  now_ms: number,
  signal: AbortSignal,
): Promise<void> {
  const now = new Date(now_ms).toISOString();
  const { rows } = await pool.query<{ requestId: string }>({
    name: 'removals-to-warn-about',
    text: `select request_id as "requestId" from ${REMOVAL_REQUESTS.table}
            where deadline is not null and exists (
                    select from unnest($2::int[]) as after_h
                     where after_h > warned_h and waits_since + after_h * interval '1 hour' <= $1)
            order by deadline limit ${MAX_AT_ONCE}`,
    values: [now, REMOVAL_WARNINGS_h],
  });
  await attemptEach(
    rows,
    async ({ requestId }) => {
      await commands.execute(removal, requestId, warnAboutRemoval, {}, systemOrigin(WARN_TASK, requestId), { now });
    },
    { task: WARN_TASK, nameOf: ({ requestId }) => requestId, log, signal },
  );
}

/**
 * Destroys the keys of closed removal requests whose time of storage is over. The key is destroyed before the
 * event is written, so the next run completes an interrupted erasure. Rejects like `warnAboutRemovals`.
 */
export async function eraseRemovalData(
  { pool, commands, dataKeys, log }: WarnDependencies & Dependencies<'dataKeys'>,
  now_ms: number,
  signal: AbortSignal,
): Promise<void> {
  const now = new Date(now_ms).toISOString();
  const { rows } = await pool.query<{ requestId: string }>({
    name: 'removals-to-erase',
    text: `select request_id as "requestId" from ${REMOVAL_REQUESTS.table}
            where erase_at <= $1 order by erase_at limit ${MAX_AT_ONCE}`,
    values: [now],
  });
  await attemptEach(
    rows,
    async ({ requestId }) => {
      await dataKeys.retire(requestId);
      await dataKeys.destroyRetired(requestId);
      await commands.execute(removal, requestId, recordRemovalErasure, {}, systemOrigin(ERASE_TASK, requestId));
    },
    { task: ERASE_TASK, nameOf: ({ requestId }) => requestId, log, signal },
  );
}
