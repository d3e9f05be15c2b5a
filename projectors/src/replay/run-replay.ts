import {
  NewerEventVersionError,
  replayEvents,
  toDomainEvent,
  type RecordedDomainEvent,
  type RecordedEvent,
  type ReplayEvent,
} from '@alpenglow/domain';
import { waitUnlessAborted, type Logger } from '@alpenglow/infra';
import { followLog, type Handled } from '../follow-log.ts';
import { readModelOf, type Projection } from '../projection.ts';
import { resolveProjections } from '../versions/versions.ts';
import { carryOutInstruction } from './carry-out-instruction.ts';
import { readUnfinishedRebuilds } from './rebuild-store.ts';
import type { StepDependencies } from './rebuild-steps.ts';
import { createRebuildWorkers } from './rebuild-workers.ts';

/**
 * The name of the duty that carries out the instructions of admins for projections, and of its checkpoint. The name
 * begins with `reactor-`, because the duty has no read model.
 */
export const REPLAY_DUTY = 'reactor-replay';

export type ReplayDependencies = StepDependencies & {
  readonly projections: readonly Projection[];
  readonly log: Logger;
};

const TYPES = replayEvents.map(({ type }) => type);
/**
 * The interval at which unfinished rebuilds are checked. A rebuild may need a worker without a new instruction, for
 * example after a restart.
 */
const POLL_ms = 2_000;

/**
 * Carries out the instructions of admins for projections, such as rebuilds, until `signal` aborts. Rejects if the
 * database or the store fails. The duty is then started again. Each event is handled once, in the transaction that
 * moves the checkpoint. Workers run the rebuilds and resume them from the state in `rm.rebuilds`. The first run starts
 * at the end of the event log, because earlier instructions concern read models that no longer exist.
 */
export async function runReplay(declared: ReplayDependencies, signal: AbortSignal): Promise<void> {
  const deps = { ...declared, projections: await resolveProjections(declared.pool, declared.projections) };
  const failed = new AbortController();
  const stopping = AbortSignal.any([signal, failed.signal]);
  const workers = createRebuildWorkers(deps.projections, deps, stopping);
  const polling = wakeUnfinished(deps, workers.wake, stopping);
  try {
    await followLog(
      {
        name: REPLAY_DUTY,
        types: TYPES,
        isAwaited: true,
        start: () => deps.store.readHead(),
        handle: async (events) => carryOut(deps, workers.wake, events),
      },
      deps,
      signal,
    );
  } finally {
    failed.abort();
    await polling;
    await workers.waitUntilEnded();
  }
}
/**
 * Returns the work for events with instructions of admins. It skips events that cannot be read, and events about
 * projections that this build does not have.
 */
function carryOut(
  { store, projections, log }: ReplayDependencies,
  wake: (name: string) => Promise<void>,
  recorded: readonly RecordedEvent[],
): Handled {
  const instructions = recorded.flatMap((one) => {
    const event = readEvent(one, log);
    const projection = projections.find((entry) => readModelOf(entry) === event?.data.projection);
    return event && projection ? [{ event, projection }] : [];
  });
  if (instructions.length === 0) return {};
  return {
    async alsoInTransaction(client) {
      for (const { event, projection } of instructions) await carryOutInstruction(client, store, projection, event);
    },
    onStored() {
      // This call is not awaited, because a cancelled worker takes a moment to end.
      for (const name of new Set(instructions.map(({ projection }) => projection.name)))
        wake(name).catch((err: unknown) =>
          log.warn({ projection: name, err }, 'rebuild not started, it will be retried'),
        );
    },
  };
}

function readEvent(recorded: RecordedEvent, log: Logger): RecordedDomainEvent<ReplayEvent> | null {
  try {
    return toDomainEvent(recorded) as RecordedDomainEvent<ReplayEvent> | null;
  } catch (error) {
    // The event needs a newer build. This process therefore stops with the error, and a process of the newer build will
    // handle the event.
    if (error instanceof NewerEventVersionError) throw error;
    log.error(
      { err: error, position: recorded.position, type: recorded.type },
      'replay event skipped: it cannot be read',
    );
    return null;
  }
}

/**
 * Wakes the workers of all unfinished rebuilds until `signal` aborts. The workers resume rebuilds that were interrupted
 * by the end of a process, and restart rebuilds whose tables were dropped.
 */
async function wakeUnfinished(
  { pool, log }: ReplayDependencies,
  wake: (name: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const name of await readUnfinishedRebuilds(pool))
        wake(name).catch((err: unknown) =>
          log.warn({ projection: name, err }, 'rebuild not resumed, it will be retried'),
        );
    } catch (err) {
      log.warn({ err }, 'unfinished rebuilds could not be read');
    }
    await waitUnlessAborted(POLL_ms, signal);
  }
}
