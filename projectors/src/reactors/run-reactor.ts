import {
  JobRejected,
  NewerEventVersionError,
  toDomainEvent,
  toReadableEvent,
  type DomainEvent,
  type DomainEventType,
  type JobKind,
  type JobQueue,
  type JobPayloads,
  type NewJob,
  type RecordedDomainEvent,
  type RecordedEvent,
} from '@alpenglow/domain';
import type { Dependencies } from '../dependencies.ts';
import { runReaction, type Reaction } from './reactions.ts';

/** A job that a reactor creates for an event. */
export type Job = {
  readonly [K in JobKind]: { readonly kind: K; readonly payload: JobPayloads[K]; readonly accountId?: string };
}[JobKind];

/**
 * Turns events into background jobs. A job has the same id as its event, so handling an event twice enqueues the job
 * only once. Reactors do not run during a rebuild of read models, so a rebuild creates no jobs.
 */
export interface Reactor {
  readonly name: string;
  /**
   * True if the jobs need personal data of the stream of the event, e.g. an e-mail address. An event whose personal
   * fields cannot be decrypted then waits until they can. By default, the reactor handles such an event, and the event
   * waits only if the reactor reads one of these fields.
   */
  readonly needsPersonalData?: boolean;
  readonly on: {
    readonly [Type in DomainEventType]?: (
      event: RecordedDomainEvent<Extract<DomainEvent, { readonly type: Type }>>,
    ) => Job | null;
  };
}

/**
 * Enqueues the jobs of a reactor for new events until `signal` aborts. Rejects if the database, the store or the queue
 * fails. The duty is then started again from the checkpoint. An event that cannot be read, or whose job the queue
 * rejects, is parked with the later events of its stream and retried.
 */
export function runReactor(
  reactor: Reactor,
  deps: Dependencies<'store' | 'pool' | 'jobs' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  return runReaction(toReaction(reactor, deps), deps, signal);
}

/** Returns the reaction of a reactor, which enqueues the job for an event. */
export function toReaction(reactor: Reactor, { jobs }: Dependencies<'jobs'>): Reaction {
  return {
    name: reactor.name,
    types: Object.keys(reactor.on),
    startPage: () => async (recorded) => {
      const job = jobOrError(reactor, recorded);
      if (job === null || job instanceof Error) return job;
      try {
        await enqueue(jobs, job, recorded.id);
        return null;
      } catch (error) {
        if (error instanceof JobRejected) return error;
        throw error;
      }
    },
  };
}

/**
 * Returns the job for an event, or null if there is none. If the event cannot be read, the error is returned and not
 * thrown, so that one invalid event does not stop the reactor.
 */
function jobOrError(reactor: Reactor, recorded: RecordedEvent): Job | Error | null {
  try {
    const event = reactor.needsPersonalData ? toDomainEvent(recorded) : toReadableEvent(recorded);
    const react = event && (reactor.on[event.type] as ((event: RecordedDomainEvent) => Job | null) | undefined);
    return (event && react?.(event)) ?? null;
  } catch (error) {
    if (error instanceof NewerEventVersionError) throw error;
    return error as Error;
  }
}

function enqueue<Kind extends JobKind>(
  jobs: JobQueue,
  { kind, payload, ...options }: Pick<NewJob<Kind>, 'payload' | 'accountId'> & { readonly kind: Kind },
  jobId: string,
): Promise<void> {
  return jobs.enqueue(kind, payload, { jobId, ...options });
}
