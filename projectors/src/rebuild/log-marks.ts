import { LogRewound, START_POSITION, type EventStore, type LogMark } from '@alpenglow/domain';

/**
 * Returns the last event of the log. Throws `LogRewound` if the log is replaced by an older state at this moment. The
 * id is null if the log is empty.
 */
export async function readHeadMark(store: Pick<EventStore, 'findEventId' | 'readHead'>): Promise<LogMark> {
  const position = await store.readHead();
  if (position === START_POSITION) return { position, id: null };
  const id = await store.findEventId(position, null);
  if (id === null) throw new LogRewound(position);
  return { position, id };
}

/**
 * Throws `LogRewound` if the log was replaced by an older state without the event `mark`. If the id of `mark` is null,
 * every event at its position is accepted.
 */
export async function requireInLog(store: Pick<EventStore, 'findEventId'>, { position, id }: LogMark): Promise<void> {
  if (position === START_POSITION) return;
  const found = await store.findEventId(position, id);
  if (found === null || found !== (id ?? found)) throw new LogRewound(position);
}
