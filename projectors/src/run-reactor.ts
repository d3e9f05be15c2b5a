import {
  NewerEventVersionError,
  toDomainEvent,
  type DomainEvent,
  type DomainEventType,
  type JobKind,
  type JobQueue,
  type JobPayloads,
  type Position,
  type RecordedDomainEvent,
  type RecordedEvent,
} from '@alpenglow/domain';
import type { Pool, PoolClient } from '@alpenglow/infra';
import type { Dependencies } from './dependencies.ts';
import { parkedEvent, type ParkedEvent } from './apply-batch.ts';
import { moveCheckpoint, recordParkedEvents, openCheckpoint } from './checkpoints.ts';
import { inReadModelTransaction } from './read-model-transaction.ts';

/** A job that a reactor creates for an event. */
export type Job = { readonly [K in JobKind]: { readonly kind: K; readonly payload: JobPayloads[K] } }[JobKind];

/**
 * Turns events into background jobs. A job has the same id as its event, so handling an event twice enqueues the job
 * only once. Reactors do not run during a rebuild of read models, so a rebuild creates no jobs.
 */
export interface Reactor {
  readonly name: string;
  readonly on: {
    readonly [Type in DomainEventType]?: (
      event: RecordedDomainEvent<Extract<DomainEvent, { readonly type: Type }>>,
    ) => Job | null;
  };
}

/**
 * Enqueues the jobs of a reactor for new events until `signal` aborts. Rejects if the database, the store or the queue
 * fails. The duty is then started again from the checkpoint. An event that cannot be read is parked, which means that
 * it is stored with its error.
 */
export async function runReactor(
  reactor: Reactor,
  { store, pool, jobs, log }: Dependencies<'store' | 'pool' | 'jobs' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  let position = await openCheckpoint(pool, reactor.name);
  const types = Object.keys(reactor.on);
  for await (const batch of store.subscribeAll({ after: position, types, signal })) {
    const parked: ParkedEvent[] = [];
    for (const recorded of batch) {
      const job = jobOrError(reactor, recorded);
      if (job instanceof Error) parked.push(parkedEvent(recorded, String(job)));
      else if (job) await enqueue(jobs, job, recorded.id);
    }
    const from: Position = position;
    const to = batch.at(-1)?.position ?? from;
    const record = async (client: Pool | PoolClient) => {
      await moveCheckpoint(client, reactor.name, from, to);
      await recordParkedEvents(client, reactor.name, parked);
    };
    await (parked.length > 0 ? inReadModelTransaction(pool, record) : record(pool));
    for (const event of parked)
      log.error(
        { reactor: reactor.name, position: event.position, type: event.type, error: event.error },
        'event parked',
      );
    position = to;
  }
}

/**
 * Returns the job for an event, or null if there is none. If the event cannot be read, the error is returned and not
 * thrown, so that one invalid event does not stop the reactor.
 */
function jobOrError(reactor: Reactor, recorded: RecordedEvent): Job | Error | null {
  try {
    const event = toDomainEvent(recorded);
    const react = event && (reactor.on[event.type] as ((event: RecordedDomainEvent) => Job | null) | undefined);
    return (event && react?.(event)) ?? null;
  } catch (error) {
    if (error instanceof NewerEventVersionError) throw error;
    return error as Error;
  }
}

function enqueue<Kind extends JobKind>(
  jobs: JobQueue,
  { kind, payload }: { readonly kind: Kind; readonly payload: JobPayloads[Kind] },
  jobId: string,
): Promise<void> {
  return jobs.enqueue(kind, payload, { jobId });
}
