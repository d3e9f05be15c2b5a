import {
  EventFromNewerBuild,
  toDomainEvent,
  type DomainEvent,
  type DomainEventType,
  type EventStore,
  type JobKind,
  type JobQueue,
  type Jobs,
  type Position,
  type Recorded,
  type RecordedEvent,
} from '@alpenglow/domain';
import type { Logger, Pool, PoolClient } from '@alpenglow/infra';
import type { Parked } from './apply-batch.ts';
import { moveCheckpoint, readCheckpoint, recordParked, startCheckpoint } from './checkpoints.ts';
import { inReadModelTransaction } from './transaction.ts';

/** Work that follows from an event. */
export type Job = { readonly [K in JobKind]: { readonly kind: K; readonly payload: Jobs[K] } }[JobKind];

/** Turns events into jobs. The job's id is the event's, so that handling an event twice enqueues nothing twice. Never runs during a rebuild. */
export interface Reactor {
  readonly name: string;
  readonly on: {
    readonly [Type in DomainEventType]?: (event: Recorded<Extract<DomainEvent, { readonly type: Type }>>) => Job | null;
  };
}

/** Runs a reactor until `signal` aborts; rejects when the database, the store or the queue fails, and is then run again by its leader. */
export async function runReactor(
  reactor: Reactor,
  {
    store,
    pool,
    jobs,
    log,
  }: { readonly store: EventStore; readonly pool: Pool; readonly jobs: JobQueue; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  await startCheckpoint(pool, reactor.name, 1);
  let position = (await readCheckpoint(pool, reactor.name))?.position;
  if (position === undefined) throw new Error(`Reactor ${reactor.name} has no checkpoint`);
  const types = Object.keys(reactor.on);
  for await (const batch of store.subscribeAll({ after: position, types, signal })) {
    const parked: Parked[] = [];
    for (const recorded of batch) {
      const job = jobOrFault(reactor, recorded);
      if (job instanceof Error)
        parked.push({
          position: recorded.position,
          stream: recorded.stream,
          revision: recorded.revision,
          id: recorded.id,
          type: recorded.type,
          error: String(job),
        });
      else if (job) await enqueue(jobs, job, recorded.id);
    }
    const from: Position = position;
    const to = batch.at(-1)?.position ?? from;
    const record = async (client: Pool | PoolClient) => {
      await moveCheckpoint(client, reactor.name, from, to);
      await recordParked(client, reactor.name, parked);
    };
    await (parked.length > 0 ? inReadModelTransaction(pool, record) : record(pool));
    for (const one of parked)
      log.error({ reactor: reactor.name, position: one.position, type: one.type, error: one.error }, 'event parked');
    position = to;
  }
}

/** The job that follows from an event, or why the event cannot be read: one bad event must not stop all others. */
function jobOrFault(reactor: Reactor, recorded: RecordedEvent): Job | Error | null {
  try {
    const event = toDomainEvent(recorded);
    return event && jobFor(reactor, event);
  } catch (error) {
    if (error instanceof EventFromNewerBuild) throw error;
    return error as Error;
  }
}

function jobFor(reactor: Reactor, event: Recorded): Job | null {
  const react = reactor.on[event.type] as ((event: Recorded) => Job | null) | undefined;
  return react?.(event) ?? null;
}

function enqueue(jobs: JobQueue, job: Job, jobId: string): Promise<void> {
  switch (job.kind) {
    case 'photo-variants':
      return jobs.enqueue(job.kind, job.payload, { jobId });
    case 'video-probe':
      return jobs.enqueue(job.kind, job.payload, { jobId });
    case 'account-mail':
      return jobs.enqueue(job.kind, job.payload, { jobId });
    case 'take-report-in':
      return jobs.enqueue(job.kind, job.payload, { jobId });
    case 'settle-case':
      return jobs.enqueue(job.kind, job.payload, { jobId });
    case 'thread-replies':
      return jobs.enqueue(job.kind, job.payload, { jobId });
    case 'reply-mail':
      return jobs.enqueue(job.kind, job.payload, { jobId });
    case 'digest-mail':
      return jobs.enqueue(job.kind, job.payload, { jobId });
  }
}
