import type { Branded } from './branded.ts';
import type { EventDefinition } from './event-definition.ts';

/** Inputs of a decider in addition to command and state: the time (ISO 8601, UTC) and a source of unique ids. */
export interface DecisionContext {
  readonly now: string;
  readonly newId: () => string;
}

/**
 * Decides on a command. Returns the resulting events, or no events if nothing changes. The command contains all data
 * that the state does not contain, such as texts, reasons and the caller. A decider is a pure function. It throws a
 * `DomainError` if a rule rejects the command.
 */
export type Decider<Command, State, Event> = (
  command: Command,
  state: State,
  context: DecisionContext,
) => readonly Event[];

/** A decider whose command is already bound, so that it needs only the loaded state and the context. */
export type Decision<State, Event> = (state: State, context: DecisionContext) => readonly Event[];

/** A command without fields. Its decider needs only the state. */
export type EmptyCommand = Readonly<Record<string, never>>;

/**
 * A consistency boundary with one stream of events. Its state is `initial` after `evolve` was applied for each event.
 */
export interface Aggregate<State, Event extends { readonly type: string; readonly data: unknown }> {
  readonly name: string;
  readonly initial: State;
  /** Returns the state after an event. `at` is the time of the event in ISO 8601. */
  evolve(state: State, event: Event, at: string): State;
  readonly eventDefinitions: readonly EventDefinition[];
}

/** The name of the stream of one aggregate instance. */
export type StreamId = Branded<'StreamId'>;

/** Returns the stream name of one aggregate instance, e.g. `listing-4f…`. */
export function toStreamId(aggregate: { readonly name: string }, id: string): StreamId {
  return `${aggregate.name}-${id}` as StreamId;
}

/** Returns the id of the aggregate instance in a stream name, or null for a stream of another aggregate. */
export function parseStreamId(aggregate: { readonly name: string }, stream: StreamId): string | null {
  const prefix = toStreamId(aggregate, '');
  return stream.startsWith(prefix) ? stream.slice(prefix.length) : null;
}
