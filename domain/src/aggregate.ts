import type { Branded } from './branded.ts';
import type { EventDefinition } from './event-definition.ts';

/**
 * The inputs of a decider in addition to the command and the state: the current time (ISO 8601, UTC), and a function
 * that creates unique ids.
 */
export interface DecisionContext {
  readonly now: string;
  readonly newId: () => string;
}

/**
 * A pure function that decides on a command. Returns the resulting events, or no events if the command changes nothing.
 * The command contains all data that the state does not contain, such as texts, reasons and the caller. Throws a
 * `DomainError` if a business rule rejects the command.
 */
export type Decider<Command, State, Event> = (
  command: Command,
  state: State,
  context: DecisionContext,
) => readonly Event[];

/** A decider that already contains its command. It needs only the loaded state and the context. */
export type Decision<State, Event> = (state: State, context: DecisionContext) => readonly Event[];

/** A command without fields. Its decider needs only the state. */
export type EmptyCommand = Readonly<Record<string, never>>;

/**
 * Defines a kind of aggregate, e.g. accounts. Each instance, such as one account, has its own stream of events. The
 * state of an instance is `initial` after `evolve` was applied for each event of its stream.
 */
export interface Aggregate<State, Event extends { readonly type: string; readonly data: unknown }> {
  readonly name: string;
  readonly initial: State;
  /** Returns the state after an event. `at` is the time of the event in ISO 8601. */
  evolve(state: State, event: Event, at: string): State;
  readonly eventDefinitions: readonly EventDefinition[];
  /**
   * True if `evolve` and the deciders use no personal fields of the events. The state is then complete although the
   * personal fields of an event cannot be decrypted, so commands remain possible. Default: false.
   */
  readonly ignoresPersonalFields?: boolean;
}

/** The name of the event stream of one aggregate instance, e.g. of one account. */
export type StreamId = Branded<'StreamId'>;

/** Returns the stream name of one aggregate instance, e.g. `listing-4f…`. */
export function toStreamId(aggregate: { readonly name: string }, id: string): StreamId {
  return `${aggregate.name}-${id}` as StreamId;
}

/**
 * Returns the id in a stream name, e.g. `4f…` in `listing-4f…`. Returns null if the stream belongs to another kind of
 * aggregate.
 */
export function parseStreamId(aggregate: { readonly name: string }, stream: StreamId): string | null {
  const prefix = toStreamId(aggregate, '');
  return stream.startsWith(prefix) ? stream.slice(prefix.length) : null;
}
