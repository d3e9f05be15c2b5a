import {
  NewerEventVersionError,
  JOB_CONTROL_REQUEST_VERSION,
  jobControlEvents,
  toDomainEvent,
  type JobControlEvent,
  type JobKind,
  type RecordedDomainEvent,
  type RecordedEvent,
} from '@alpenglow/domain';
import { createUnfinishedJobs, isJobKind, isTransient, JOB_MOVES, toJobId, waitUnlessAborted } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';
import { runReaction } from './reactors/reactions.ts';

const TYPES = jobControlEvents.map(({ type }) => type);
const REMOVE_WAIT_ms = 60_000;
const POLL_ms = 500;

interface JobControlDependencies extends Dependencies<'store' | 'pool' | 'inspector' | 'log'> {
  /** Maximum time that the removal of a job waits for the worker that processes the job. Default: 60 s. */
  readonly removalTimeout_ms?: number;
}

/**
 * Carries out the requests of admins to retry or remove background jobs, until `signal` aborts. Rejects if the
 * database, the store or the queue fails. The duty is then started again from its checkpoint. Carrying out a request
 * twice is harmless, because a job is retried only if it has failed. A request that fails for another reason is parked
 * and retried, and does not stop the other requests.
 */
export function runJobControl(deps: JobControlDependencies, signal: AbortSignal): Promise<void> {
  return runReaction(
    {
      name: JOB_MOVES,
      types: TYPES,
      isUnordered: true,
      startPage: () => async (recorded) => {
        const error = await carryOutOrError(deps, recorded, signal);
        // If the signal has aborted, the request may be incomplete. The next run starts with this event again.
        signal.throwIfAborted();
        return error;
      },
    },
    deps,
    signal,
  );
}

/**
 * Carries out one request of an admin to retry or remove jobs. Throws if the database, the store or the queue fails, or
 * if a newer build wrote the request. Returns any other error.
 */
async function carryOutOrError(
  deps: JobControlDependencies,
  recorded: RecordedEvent,
  signal: AbortSignal,
): Promise<Error | null> {
  // The HTTP request that wrote an event of an older version has already retried or removed the job.
  if (recorded.version < JOB_CONTROL_REQUEST_VERSION) return null;
  try {
    const event = toDomainEvent(recorded) as RecordedDomainEvent<JobControlEvent> | null;
    if (event && isJobKind(event.data.kind)) await carryOut(deps, event.data.kind, event, signal);
    return null;
  } catch (error) {
    if (error instanceof NewerEventVersionError || isTransient(error)) throw error;
    return error as Error;
  }
}

async function carryOut(
  { inspector, pool, log, removalTimeout_ms = REMOVE_WAIT_ms }: JobControlDependencies,
  kind: JobKind,
  event: JobControlEvent,
  signal: AbortSignal,
): Promise<void> {
  switch (event.type) {
    case 'DeadJobsRetried':
      await inspector.retryDead(kind);
      return;
    case 'JobRetried':
      // The result is not needed. If a worker has already taken the job, the job is being retried.
      await inspector.retry(kind, event.data.jobId);
      return;
    case 'JobRemoved': {
      const ends_ms = performance.now() + removalTimeout_ms;
      // This comes first, because a job that is still stored as unfinished would be enqueued again.
      await createUnfinishedJobs(pool).remove(kind, toJobId(event.data.jobId));
      while ((await inspector.remove(kind, event.data.jobId)) === 'under-way' && !signal.aborted) {
        if (performance.now() > ends_ms) {
          log.warn({ kind, jobId: event.data.jobId }, 'job not removed: it is still being processed');
          return;
        }
        await waitUnlessAborted(POLL_ms, signal);
      }
    }
  }
}
