import { comparePositions, LogRewound, START_POSITION, type EventStore, type Position } from '@alpenglow/domain';

/** The maximum number of events that are counted for a lag. A larger lag is reported as this number. */
const MAX_LAG_events = 1_000;

/**
 * Returns the lag of each position that is before `head`, the end of the event log. The lag is the number of events
 * after the position. An event is read only once for all positions before it, because the positions of projections are
 * close to each other. If the log has lost the event at a position, the lag is the number of all events, because the
 * read model is rebuilt from the first event.
 */
async function computeLags(
  store: Pick<EventStore, 'readAll'>,
  head: Position,
  positions: readonly Position[],
): Promise<ReadonlyMap<Position, number>> {
  const lags = new Map<Position, number>();
  /** The positions of the events after the current position, as far as they were read. */
  let later: readonly Position[] = [];
  let isAtEnd = false;
  let allEvents: number | undefined;
  for (const position of [...new Set(positions)].filter((one) => one < head).toSorted(comparePositions)) {
    later = later.filter((one) => one > position);
    try {
      while (later.length < MAX_LAG_events && !isAtEnd) {
        const page = await store.readAll({ after: later.at(-1) ?? position, limit: MAX_LAG_events });
        isAtEnd = page.length < MAX_LAG_events;
        later = [...later, ...page.map((event) => event.position)];
      }
      lags.set(position, Math.min(later.length, MAX_LAG_events));
    } catch (error) {
      if (!(error instanceof LogRewound)) throw error;
      allEvents ??= (await store.readAll({ after: START_POSITION, limit: MAX_LAG_events })).length;
      lags.set(position, allEvents);
    }
  }
  return lags;
}

/** A stored checkpoint. `hasLostEvents` is true if its read model contains effects of events that the log has lost. */
interface StoredCheckpoint {
  readonly position: Position;
  readonly hasLostEvents?: boolean;
}

/**
 * Returns the position of the last event, and a function that returns the lag of a checkpoint. `head` is the last event
 * before the checkpoints were read. A read model with effects of lost events is rebuilt from the first event, so its
 * lag is the number of all events. This also applies to a checkpoint after the end of the log, because the projectors
 * have not noticed the loss yet.
 */
export async function measureLags(
  store: Pick<EventStore, 'readAll' | 'readHead'>,
  head: Position,
  checkpoints: readonly StoredCheckpoint[],
) {
  // Events may have been appended and handled since `head` was read.
  const end = checkpoints.some(({ position }) => position > head) ? await store.readHead() : head;
  const hasLostEvents = ({ position, hasLostEvents: isLost = false }: StoredCheckpoint) => isLost || position > end;
  const readUpTo = (checkpoint: StoredCheckpoint) => (hasLostEvents(checkpoint) ? START_POSITION : checkpoint.position);
  const lags = await computeLags(store, end, checkpoints.map(readUpTo));
  return {
    head: end,
    hasLostEvents,
    lagOf: (checkpoint: StoredCheckpoint): number => lags.get(readUpTo(checkpoint)) ?? 0,
  };
}
