import type { EventStore, Position } from '@alpenglow/domain';

/** The maximum number of events that are counted for a lag. A larger lag is reported as this number. */
const MAX_LAG_events = 1_000;

/**
 * Returns the lag of each position that is before `head`, the end of the event log. The lag is the number of events
 * after the position. Equal positions are counted only once, because most projections have the same position.
 */
export async function computeLags(
  store: Pick<EventStore, 'readAll'>,
  head: Position,
  positions: readonly Position[],
): Promise<ReadonlyMap<Position, number>> {
  const countEventsAfter = async (after: Position) => (await store.readAll({ after, limit: MAX_LAG_events })).length;
  const lagging = new Set(positions.filter((position) => position < head));
  return new Map(
    await Promise.all([...lagging].map(async (position) => [position, await countEventsAfter(position)] as const)),
  );
}
