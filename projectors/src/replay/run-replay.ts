import { setTimeout as pause } from 'node:timers/promises';
import {
  EventFromNewerBuild,
  replayEvents,
  toDomainEvent,
  type Recorded,
  type RecordedEvent,
  type ReplayEvent,
} from '@alpenglow/domain';
import type { Logger } from '@alpenglow/infra';
import { moveCheckpoint, readCheckpoint, startCheckpoint } from '../checkpoints.ts';
import type { Projection } from '../projection.ts';
import { inReadModelTransaction } from '../transaction.ts';
import { takeInstruction } from './instructions.ts';
import { readUnfinished } from './rebuilds.ts';
import type { StepDependencies } from './rebuild-steps.ts';
import { createRebuildWorkers } from './rebuild-workers.ts';

/** Named as a reactor: it has a checkpoint, and nothing to be read. */
export const REPLAY = 'reactor-replay';

export type ReplayDependencies = StepDependencies & {
  readonly projections: readonly Projection[];
  readonly log: Logger;
};

const TYPES = replayEvents.map(({ type }) => type);
/** How often it is looked whether a worker is wanted for another reason than what an admin asked just now. */
const LOOK_EVERY_ms = 2_000;

/**
 * Does what admins ask of projections, until `signal` aborts; rejects when the database or the store fails, and is then run again by its leader.
 * Each event is taken in once, in the transaction that moves the checkpoint; what takes long is done by workers, which find in `rm.rebuilds` where they
 * were. Begins, the first time, at the store's head: what was asked of read models that are not there any more is not done again.
 */
export async function runReplay(deps: ReplayDependencies, signal: AbortSignal): Promise<void> {
  const { pool, store } = deps;
  await startCheckpoint(pool, REPLAY, 1, await store.head());
  const begin = (await readCheckpoint(pool, REPLAY))?.position;
  if (begin === undefined) throw new Error(`${REPLAY} has no checkpoint`);
  let position = begin;

  const failed = new AbortController();
  const stopping = AbortSignal.any([signal, failed.signal]);
  const workers = createRebuildWorkers(deps.projections, deps, stopping);
  const looking = wakeUnfinished(deps, workers.wake, stopping);
  try {
    for await (const batch of store.subscribeAll({ after: begin, types: TYPES, signal })) {
      for (const recorded of batch) {
        const from = position;
        const name = await takeIn(deps, recorded, from);
        position = recorded.position;
        // A worker that is cancelled takes a moment to end, which nobody else waits for.
        if (name !== null)
          workers
            .wake(name)
            .catch((err: unknown) => deps.log.warn({ projection: name, err }, 'a rebuild was not begun, it will be'));
      }
    }
  } finally {
    failed.abort();
    await looking;
    await workers.ended();
  }
}

/** Answers the projection it was about; null for what cannot be read or is about none of this build. */
async function takeIn(
  { pool, store, projections, log }: ReplayDependencies,
  recorded: RecordedEvent,
  from: RecordedEvent['position'],
): Promise<string | null> {
  const event = readable(recorded, log);
  const projection = projections.find(({ name }) => name === event?.data.projection) ?? null;
  await inReadModelTransaction(pool, async (client) => {
    await moveCheckpoint(client, REPLAY, from, recorded.position);
    if (event && projection) await takeInstruction(client, store, projection, event);
  });
  return projection?.name ?? null;
}

function readable(recorded: RecordedEvent, log: Logger): Recorded<ReplayEvent> | null {
  try {
    return toDomainEvent(recorded) as Recorded<ReplayEvent> | null;
  } catch (error) {
    // A process of the newer build takes over.
    if (error instanceof EventFromNewerBuild) throw error;
    log.error(
      { err: error, position: recorded.position, type: recorded.type },
      'what was asked of a projection cannot be read',
    );
    return null;
  }
}

/** What was under way when a process ended is gone on with here, and what lost its tables begun again. */
async function wakeUnfinished(
  { pool, log }: ReplayDependencies,
  wake: (name: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for (const name of await readUnfinished(pool))
        wake(name).catch((err: unknown) =>
          log.warn({ projection: name, err }, 'a rebuild was not gone on with, it will be'),
        );
    } catch (err) {
      log.warn({ err }, 'rebuilds could not be looked for');
    }
    await pause(LOOK_EVERY_ms, undefined, { signal }).catch(() => undefined);
  }
}
