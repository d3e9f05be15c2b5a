import { setTimeout as pause } from 'node:timers/promises';
import {
  EventFromNewerBuild,
  JOB_CONTROL_ASKED_SINCE,
  jobControlEvents,
  JobQueueUnavailable,
  toDomainEvent,
  type EventStore,
  type JobControlEvent,
  type JobInspector,
  type JobKind,
  type Recorded,
  type RecordedEvent,
} from '@alpenglow/domain';
import { isJobKind, JOB_MOVES, type Logger, type Pool } from '@alpenglow/infra';
import { moveCheckpoint, readCheckpoint, recordParked, startCheckpoint } from './checkpoints.ts';
import { inReadModelTransaction } from './transaction.ts';

const TYPES = jobControlEvents.map(({ type }) => type);
/** How long the removal of a job waits for the worker that is processing it. */
const LET_GO_WAIT_ms = 60_000;
const LOOK_AGAIN_ms = 500;

export interface JobMovesDependencies {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly inspector: JobInspector;
  readonly log: Logger;
  /** Default: 60 s. */
  readonly letGoWait_ms?: number;
}

/**
 * Retries and removes jobs as admins ask, until `signal` aborts; rejects when the database, the store or the queue fails, and is then run again by
 * its leader, from where it was. Doing it twice changes nothing more, except that a job that died in between is tried once more.
 */
export async function runJobMoves(deps: JobMovesDependencies, signal: AbortSignal): Promise<void> {
  const { store, pool, log } = deps;
  await startCheckpoint(pool, JOB_MOVES, 1);
  let position = (await readCheckpoint(pool, JOB_MOVES))?.position;
  if (position === undefined) throw new Error(`${JOB_MOVES} has no checkpoint`);
  for await (const batch of store.subscribeAll({ after: position, types: TYPES, signal })) {
    for (const recorded of batch) {
      const from = position;
      const error = await moveOrFault(deps, recorded, signal);
      // Aborted before the move was complete: the next run starts with this event again.
      if (signal.aborted) return;
      const { stream, revision, id, type } = recorded;
      position = recorded.position;
      const to = position;
      await inReadModelTransaction(pool, async (client) => {
        await moveCheckpoint(client, JOB_MOVES, from, to);
        await recordParked(
          client,
          JOB_MOVES,
          error === null ? [] : [{ position: to, stream, revision, id, type, error: String(error) }],
        );
      });
      if (error !== null) log.error({ reactor: JOB_MOVES, position: to, type, err: error }, 'event parked');
    }
  }
}

/** Carries out one request. Returns an error that no retry can fix, so that one bad event does not stop the others; throws all other errors. */
async function moveOrFault(
  deps: JobMovesDependencies,
  recorded: RecordedEvent,
  signal: AbortSignal,
): Promise<Error | null> {
  // In older versions the call itself moved the job.
  if (recorded.version < JOB_CONTROL_ASKED_SINCE) return null;
  try {
    const event = toDomainEvent(recorded) as Recorded<JobControlEvent> | null;
    if (event && isJobKind(event.data.kind)) await move(deps, event.data.kind, event, signal);
    return null;
  } catch (error) {
    if (error instanceof EventFromNewerBuild || error instanceof JobQueueUnavailable) throw error;
    return error as Error;
  }
}

async function move(
  { inspector, log, letGoWait_ms = LET_GO_WAIT_ms }: JobMovesDependencies,
  kind: JobKind,
  event: JobControlEvent,
  signal: AbortSignal,
): Promise<void> {
  switch (event.type) {
    case 'DeadJobsRetried':
      await inspector.retryDead(kind);
      return;
    case 'JobRetried':
      // If a worker has already taken the job, it is being retried.
      await inspector.retry(kind, event.data.jobId);
      return;
    case 'JobRemoved': {
      const ends_ms = performance.now() + letGoWait_ms;
      while ((await inspector.remove(kind, event.data.jobId)) === 'under-way' && !signal.aborted) {
        if (performance.now() > ends_ms) {
          log.warn({ kind, jobId: event.data.jobId }, 'a job that was to be removed is still under way');
          return;
        }
        await pause(LOOK_AGAIN_ms, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
