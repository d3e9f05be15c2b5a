import {
  toDomainEvent,
  toReadableEvent,
  type Aggregate,
  type DomainEvent,
  type Position,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';

/** The number of events of one read of a stream. */
export const STREAM_PAGE_events = 500;

/** The state of an aggregate after the events of its stream. */
export interface LoadedState<State> {
  readonly state: State;
  /** The revision of the stream's last event, or -1 if the stream is empty. */
  readonly revision: number;
  /**
   * The position of the stream's last event in the event log, or null if the stream is empty. A reader that has reached
   * this position has read all events of the stream.
   */
  readonly position: Position | null;
}

/** The state after a command, and the events that result from it. */
export interface CommandResult<State> extends LoadedState<State> {
  readonly events: readonly DomainEvent[];
}

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
