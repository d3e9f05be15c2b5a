import {
  ConcurrencyConflict,
  DomainError,
  toStreamId,
  toDomainEvent,
  type Actor,
  type Aggregate,
  type Decider,
  type Decision,
  type DomainEvent,
  type EventMeta,
  type EventStore,
  type EventToAppend,
  type Position,
} from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';
import { v7 as uuidv7 } from 'uuid';
import { createSerialRunner } from './serial-runner.ts';
import { drawRandomBytes } from '../security/random.ts';

/** The origin of a command. It is stored in the events that result from the command. */
export interface CommandOrigin {
  readonly actor: Actor;
  readonly correlationId: string;
  /** The id of the event that caused this command. Set by reactors and workers. */
  readonly causationId?: string;
}

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

export interface CommandResult<State> extends LoadedState<State> {
  readonly events: readonly DomainEvent[];
}

export interface CommandHandler {
  /**
   * Loads the state of a stream, calls `decide`, and appends the returned events with the expected revision. If another
   * process has written to the stream in the meantime, tries again, up to 5 attempts in total. Commands of one process
   * on the same stream run one after the other, so they do not conflict. With `isNew`, the first attempt assumes an
   * empty stream. With `loaded`, it uses this state. Both options save a read, and if the assumption is wrong, the next
   * attempt reads the stream. Throws the errors of `decide`. Throws STALE if the revision of the stream differs from
   * `ifRevision`, and CONFLICT after the last attempt.
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
  /** Returns the current state of an aggregate, such as one ad or one account. */
  load<State, Event extends DomainEvent>(aggregate: Aggregate<State, Event>, id: string): Promise<LoadedState<State>>;
}

interface HandlingOptions<State> {
  readonly ifRevision?: number | null;
  readonly now?: string;
  readonly isNew?: boolean;
  readonly loaded?: LoadedState<State>;
}

const MAX_ATTEMPTS = 5;
const PAGE_SIZE = 500;
const CACHED_STREAMS = 5_000;

/**
 * Creates a command handler for an event store. It caches the states of streams, so that it has to read only newer
 * events. An append with the expected revision fails if the cached state is outdated. `clearCache` must be called after
 * an erasure, because cached states may contain personal data.
 */
export function createCommandHandler(store: EventStore): CommandHandler & { clearCache(): void } {
  const cache = new LRUCache<string, LoadedState<unknown>>({ max: CACHED_STREAMS });
  /**
   * The number of times that the cache was cleared. If the cache was cleared while a state was loading, the state is
   * not cached.
   */
  let invalidations = 0;
  const runInTurn = createSerialRunner();

  async function load<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    id: string,
  ): Promise<LoadedState<State>> {
    const stream = toStreamId(aggregate, id);
    const invalidationsAtStart = invalidations;
    let loaded = (cache.get(stream) as LoadedState<State> | undefined) ?? emptyStream(aggregate);
    for (;;) {
      const page = await store.readStream(stream, { from: loaded.revision + 1, limit: PAGE_SIZE });
      for (const recorded of page) {
        const event = toDomainEvent(recorded);
        if (!event)
          throw new Error(
            `Stream ${stream} contains ${recorded.type}, which this build does not know: it cannot handle commands`,
          );
        loaded = {
          state: aggregate.evolve(loaded.state, event as unknown as Event, recorded.meta.at),
          revision: recorded.revision,
          position: recorded.position,
        };
      }
      if (page.length < PAGE_SIZE) break;
    }
    if (loaded.revision >= 0 && invalidationsAtStart === invalidations) cache.set(stream, loaded);
    return loaded;
  }

  async function handle<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    id: string,
    decide: Decision<State, Event>,
    origin: CommandOrigin,
    {
      ifRevision = null,
      now = new Date().toISOString(),
      isNew = false,
      loaded = isNew ? emptyStream(aggregate) : undefined,
    }: HandlingOptions<State>,
  ): Promise<CommandResult<State>> {
    const stream = toStreamId(aggregate, id);
    for (let attempt = 1; ; attempt += 1) {
      const invalidationsAtStart = invalidations;
      const current = (attempt === 1 && loaded) || (await load(aggregate, id));
      if (ifRevision !== null && ifRevision !== current.revision) throw new DomainError('STALE');
      const events = decide(current.state, { now, newId });
      if (events.length === 0) return { ...current, events };
      try {
        const meta: EventMeta = {
          correlationId: origin.correlationId,
          causationId: origin.causationId ?? null,
          actor: origin.actor,
          at: now,
        };
        const appended = await store.append(
          stream,
          events.map((event) => toAppend(aggregate, event, meta)),
          { expectedRevision: current.revision < 0 ? 'no-stream' : current.revision },
        );
        const fold = () => events.reduce((folded, event) => aggregate.evolve(folded, event, now), current.state);
        // The states of new streams are not cached, because they are rarely read again and would replace frequently
        // used states in the cache.
        if (isNew) return foldLazily(fold, { events, ...appended });
        const state = fold();
        if (invalidationsAtStart === invalidations) cache.set(stream, { state, ...appended });
        return { state, events, ...appended };
      } catch (error) {
        if (!(error instanceof ConcurrencyConflict)) throw error;
        if (attempt === MAX_ATTEMPTS) throw new DomainError('CONFLICT');
      }
    }
  }

  function forget(): void {
    invalidations += 1;
    cache.clear();
  }

  const handleInTurn: CommandHandler['handle'] = (aggregate, id, decide, origin, options = {}) =>
    runInTurn(toStreamId(aggregate, id), () => handle(aggregate, id, decide, origin, options));

  return {
    load,
    clearCache: forget,
    handle: handleInTurn,
    execute: (aggregate, id, decide, command, origin, options) =>
      handleInTurn(aggregate, id, (state, context) => decide(command, state, context), origin, options),
  };
}

function foldLazily<State>(
  fold: () => State,
  { events, revision, position }: Omit<CommandResult<State>, 'state'>,
): CommandResult<State> {
  let folded: { readonly state: State } | null = null;
  return {
    get state() {
      folded ??= { state: fold() };
      return folded.state;
    },
    events,
    revision,
    position,
  };
}

/** Returns a UUID of version 7. Ids that are created at about the same time are adjacent in database indexes. */
function newId(): string {
  return uuidv7({ random: drawRandomBytes(16) });
}

function emptyStream<State>({ initial }: Pick<Aggregate<State, DomainEvent>, 'initial'>): LoadedState<State> {
  return { state: initial, revision: -1, position: null };
}

function toAppend(
  aggregate: Pick<Aggregate<unknown, DomainEvent>, 'eventDefinitions'>,
  event: DomainEvent,
  meta: EventMeta,
): EventToAppend {
  const definition = aggregate.eventDefinitions.find(({ type }) => type === event.type);
  if (!definition) throw new Error(`${event.type} is not an event of this aggregate`);
  return { id: newId(), type: event.type, version: definition.version, data: event.data, meta };
}
