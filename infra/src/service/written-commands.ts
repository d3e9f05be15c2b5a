import type { Aggregate, CommandIds, CommandResult, DomainEvent, EventStore, StreamId } from '@alpenglow/domain';
import { emptyStream, evolveWith, STREAM_PAGE_events, toEvent } from './loaded-state.ts';

type StreamReader = Pick<EventStore, 'readStream'>;

/**
 * Returns the result of the command whose events have these ids, as it was when they were written. Returns null if
 * the stream does not contain them.
 */
export async function findWritten<State, Event extends DomainEvent>(
  store: StreamReader,
  aggregate: Aggregate<State, Event>,
  stream: StreamId,
  ids: CommandIds,
): Promise<CommandResult<State> | null> {
  const events: Event[] = [];
  let loaded = emptyStream(aggregate);
  for (;;) {
    const page = await store.readStream(stream, { from: loaded.revision + 1, limit: STREAM_PAGE_events });
    for (const recorded of page) {
      const isWritten = recorded.id === ids.toEventId(events.length);
      if (events.length > 0 && !isWritten) return { ...loaded, events };
      const event = toEvent(aggregate, stream, recorded) as unknown as Event;
      loaded = evolveWith(aggregate, loaded.state, event, recorded);
      if (isWritten) events.push({ type: event.type, data: event.data } as Event);
    }
    if (page.length < STREAM_PAGE_events) return events.length > 0 ? { ...loaded, events } : null;
  }
}

/** Returns the result of a command whose events the stream must contain. Throws if it does not. */
export async function requireWritten<State, Event extends DomainEvent>(
  store: StreamReader,
  aggregate: Aggregate<State, Event>,
  stream: StreamId,
  ids: CommandIds,
): Promise<CommandResult<State>> {
  const written = await findWritten(store, aggregate, stream, ids);
  if (!written) throw new Error(`Stream ${stream} does not contain the appended events`);
  return written;
}
