import type { Aggregate, Decider, Decision } from '../aggregate.ts';
import type { DomainEvent } from '../events.ts';
import type { Actor, Position } from './event-store.ts';

/**
 * Derives the ids of everything that one request creates. Another attempt of the same request derives the same ids, so
 * the event store recognizes events that an earlier attempt has already written (decision 0072).
 */
export interface RequestIds {
  /** True if an earlier attempt of the request may have written events without a response to the client. */
  readonly isRepeated: boolean;
  /** Returns the id of the next object that the request creates, e.g. of a report. */
  createId(): string;
  /**
   * Returns the ids of the next command of the request on a stream. Every attempt must call this function for the
   * commands on one stream in the same order.
   */
  deriveCommandIds(stream: string): CommandIds;
}

/** The ids of one command. */
export interface CommandIds {
  /** Returns the id of the event with this index in the result of the command. */
  toEventId(index: number): string;
  /** Returns a function that creates the ids of a decider. Every attempt to decide needs its own function. */
  createDecisionIds(): () => string;
}

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

/** The origin of a command. It is stored in the events that result from the command. */
export interface CommandOrigin {
  readonly actor: Actor;
  readonly correlationId: string;
  /** The id of the event that caused this command. Set by reactors and workers. */
  readonly causationId?: string;
  /** The ids of the request that caused this command. Absent if the request cannot be repeated with the same ids. */
  readonly ids?: RequestIds;
  /** The span that causes the command (`startSpan`). Absent if the trace is not recorded. */
  readonly traceparent?: string;
}

/** Executes commands: loads the state of a stream, decides, and appends the resulting events. */
export interface CommandHandler {
  /**
   * Loads the state of a stream, calls `decide`, and appends the returned events with the expected revision. If another
   * process has written to the stream in the meantime, tries again, up to 5 attempts in total. An attempt that
   * conflicts only with events of the same actor does not count, because an earlier request of the actor may be written
   * late. This applies to at most 20 attempts. Commands of one process on the same stream run one after the
   * other, so they do not conflict. With `isNew`, the first attempt assumes an empty stream. With `loaded`, it uses
   * this state. Both options save a read, and if the assumption is wrong, the next attempt reads the stream. Throws the
   * errors of `decide`. Throws STALE if the revision of the stream differs from `ifRevision`, and CONFLICT after the
   * last attempt.
   *
   * If `origin` has the ids of a repeated request, and an earlier attempt of the request has written the events of this
   * command, returns the result of the earlier attempt. `before` and `decide` are then not called.
   */
  handle<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    id: string,
    decide: Decision<State, Event>,
    origin: CommandOrigin,
    options?: HandlingOptions<State>,
  ): Promise<CommandResult<State>>;
  /**
   * Executes one command with its decider, which returns the resulting events. Tries again and throws in the same way
   * as `handle`.
   */
  execute<State, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    id: string,
    decide: Decider<Command, State, Event>,
    command: Command,
    origin: CommandOrigin,
    options?: HandlingOptions<State>,
  ): Promise<CommandResult<State>>;
  /**
   * Returns the current state of an aggregate, such as one ad or one account. Throws `UnreadableEventError` if the
   * personal data of an event in the stream cannot be decrypted, unless the aggregate ignores personal fields. `handle`
   * and `execute` do the same, so no command is decided on an incomplete state.
   */
  load<State, Event extends DomainEvent>(aggregate: Aggregate<State, Event>, id: string): Promise<LoadedState<State>>;
}

/** Options for one command. `handle` describes `ifRevision`, `isNew` and `loaded`. */
export interface HandlingOptions<State> {
  readonly ifRevision?: number | null;
  readonly now?: string;
  readonly isNew?: boolean;
  /**
   * Called once before the first decision, e.g. to check conditions outside of the stream. The effect of the command
   * may violate these conditions, so they must not be checked again after the events were written.
   */
  readonly before?: () => Promise<void>;
  readonly loaded?: LoadedState<State>;
}
