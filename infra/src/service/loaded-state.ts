import {
  toDomainEvent,
  toReadableEvent,
  type Aggregate,
  type DomainEvent,
  type LoadedState,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';

/** The number of events of one read of a stream. */
export const STREAM_PAGE_events = 500;

/** Returns the state of an empty stream. */
export function emptyStream<State>({ initial }: Pick<Aggregate<State, DomainEvent>, 'initial'>): LoadedState<State> {
  return { state: initial, revision: -1, position: null };
}

/** Returns the event in the form of this build. Throws an error if this build does not know the type of the event. */
export function toEvent(
  { ignoresPersonalFields = false }: { readonly ignoresPersonalFields?: boolean },
  stream: StreamId,
  recorded: RecordedEvent,
): DomainEvent {
  const event = ignoresPersonalFields ? toReadableEvent(recorded) : toDomainEvent(recorded);
  if (event) return event;
  throw new Error(
    `Stream ${stream} contains ${recorded.type}, which this build does not know: it cannot handle commands`,
  );
}

/** Returns the state after a further event, which was read from the stream. */
export function evolveWith<State, Event extends DomainEvent>(
  { evolve }: Aggregate<State, Event>,
  state: State,
  event: Event,
  { revision, position, meta }: RecordedEvent,
): LoadedState<State> {
  return { state: evolve(state, event, meta.at), revision, position };
}
