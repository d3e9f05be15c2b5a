import {
  ConcurrencyConflict,
  DomainError,
  EventStoreUnavailable,
  InvalidAppend,
  toStreamId,
  toDomainEvent,
  toReadableEvent,
  type Actor,
  type Aggregate,
  type AppendResult,
  type Decider,
  type Decision,
  type DomainEvent,
  type EventMeta,
  type EventStore,
  type EventToAppend,
  type Position,
  type RecordedEvent,
  type StreamId,
} from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';
import { RANDOM_COMMAND_IDS, type CommandIds, type RequestIds } from './request-ids.ts';
import { createSerialRunner } from './serial-runner.ts';

/** The origin of a command. It is stored in the events that result from the command. */
export interface CommandOrigin {
  readonly actor: Actor;
  readonly correlationId: string;
  /** The id of the event that caused this command. Set by reactors and workers. */
  readonly causationId?: string;
  /** The ids of the request that caused this command. Absent if the request cannot be repeated with the same ids. */
  readonly ids?: RequestIds;
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

interface HandlingOptions<State> {
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

/** A cached state, and the id of the last event that it contains. */
interface CachedState extends LoadedState<unknown> {
  readonly lastEventId: string;
}

const MAX_ATTEMPTS = 5;
const PAGE_SIZE = 500;
const CACHED_STREAMS = 5_000;
/** An append that failed within this time did not time out. */
const QUICK_FAILURE_ms = 2_000;

/**
 * Creates a command handler for an event store. It caches the states of streams, so that it has to read only newer
 * events. An append with the expected revision fails if the cached state is outdated. `clearCache` must be called after
 * an erasure, because cached states may contain personal data.
 */
export function createCommandHandler(store: EventStore): CommandHandler & { clearCache(): void } {
  const cache = new LRUCache<string, CachedState>({ max: CACHED_STREAMS });
  /**
   * The number of times that the cache was cleared. If the cache was cleared while a state was loading, the state is
   * not cached.
   */
  let invalidations = 0;
  const runInTurn = createSerialRunner();

  /**
   * Returns the result of the command whose events have these ids, as it was when they were written. Returns null if
   * the stream does not contain them.
   */
  async function findWritten<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    stream: StreamId,
    ids: CommandIds,
  ): Promise<CommandResult<State> | null> {
    const events: Event[] = [];
    let loaded = emptyStream(aggregate);
    for (;;) {
      const page = await store.readStream(stream, { from: loaded.revision + 1, limit: PAGE_SIZE });
      for (const recorded of page) {
        const isWritten = recorded.id === ids.toEventId(events.length);
        if (events.length > 0 && !isWritten) return { ...loaded, events };
        const event = toEvent(aggregate, stream, recorded) as unknown as Event;
        loaded = evolveWith(aggregate, loaded.state, event, recorded);
        if (isWritten) events.push({ type: event.type, data: event.data } as Event);
      }
      if (page.length < PAGE_SIZE) return events.length > 0 ? { ...loaded, events } : null;
    }
  }

  async function load<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    id: string,
  ): Promise<LoadedState<State>> {
    const stream = toStreamId(aggregate, id);
    const invalidationsAtStart = invalidations;
    const cached = cache.get(stream);
    let loaded = (cached as LoadedState<State> | undefined) ?? emptyStream(aggregate);
    let lastEventId = cached?.lastEventId ?? null;
    // The last event of the cached state is read again. After a failover or a restore, the stream may have another
    // event with this revision, or no event. The cached state is then of no use.
    let from = Math.max(0, loaded.revision);
    for (;;) {
      const page = await store.readStream(stream, { from, limit: PAGE_SIZE });
      const isCachedEvent = from === loaded.revision;
      if (isCachedEvent && page[0]?.id !== lastEventId) {
        cache.delete(stream);
        return load(aggregate, id);
      }
      for (const recorded of isCachedEvent ? page.slice(1) : page) {
        loaded = evolveWith(
          aggregate,
          loaded.state,
          toEvent(aggregate, stream, recorded) as unknown as Event,
          recorded,
        );
        lastEventId = recorded.id;
      }
      if (page.length < PAGE_SIZE) break;
      from = loaded.revision + 1;
    }
    if (lastEventId !== null && invalidationsAtStart === invalidations) cache.set(stream, { ...loaded, lastEventId });
    return loaded;
  }

  async function handle<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    id: string,
    decide: Decision<State, Event>,
    origin: CommandOrigin,
    ids: CommandIds,
    {
      ifRevision = null,
      now = new Date().toISOString(),
      isNew = false,
      loaded = isNew ? emptyStream(aggregate) : undefined,
      before,
    }: HandlingOptions<State>,
  ): Promise<CommandResult<State>> {
    const stream = toStreamId(aggregate, id);
    const isRepeated = origin.ids?.isRepeated === true;
    const earlier = isRepeated ? await findWritten(aggregate, stream, ids) : null;
    if (earlier) return earlier;
    await before?.();
    for (let attempt = 1; ; attempt += 1) {
      const invalidationsAtStart = invalidations;
      const current = (attempt === 1 && loaded) || (await load(aggregate, id));
      if (ifRevision !== null && ifRevision !== current.revision) throw new DomainError('STALE');
      const events = decide(current.state, { now, newId: ids.createDecisionIds() });
      if (events.length === 0) return { ...current, events };
      try {
        const meta: EventMeta = {
          correlationId: origin.correlationId,
          causationId: origin.causationId ?? null,
          actor: origin.actor,
          at: now,
        };
        const toStore = events.map((event, index) => toAppend(aggregate, event, ids.toEventId(index), meta));
        const appended = await appendAgainIfUnknown(stream, toStore, current.revision);
        // An earlier attempt of the request may have written its events after they were searched above. The store has
        // then returned their revision, and their content may differ.
        const isOwnAppend = appended.revision === current.revision + events.length;
        if (origin.ids && (isRepeated || !isOwnAppend)) return await requireWritten(aggregate, stream, ids);
        const fold = () => events.reduce((folded, event) => aggregate.evolve(folded, event, now), current.state);
        // The states of new streams are not cached, because they are rarely read again and would replace frequently
        // used states in the cache.
        if (isNew) return foldLazily(fold, { events, ...appended });
        const state = fold();
        const lastEventId = toStore.at(-1)?.id;
        if (lastEventId !== undefined && invalidationsAtStart === invalidations)
          cache.set(stream, { state, ...appended, lastEventId });
        return { state, events, ...appended };
      } catch (error) {
        // The earlier attempt has written another number of events, so the store does not recognize a repetition.
        if (error instanceof InvalidAppend && origin.ids) {
          const written = await findWritten(aggregate, stream, ids);
          if (written) return written;
        }
        if (!(error instanceof ConcurrencyConflict)) throw error;
        if (attempt === MAX_ATTEMPTS) throw new DomainError('CONFLICT');
      }
    }
  }

  /**
   * Appends events. If the connection to the store breaks, sends the same events a second time, because it is unknown
   * whether the first append was written. The store recognizes the ids of the events.
   */
  async function appendAgainIfUnknown(
    stream: StreamId,
    events: readonly EventToAppend[],
    revision: number,
  ): Promise<AppendResult> {
    const send = () => store.append(stream, events, { expectedRevision: revision < 0 ? 'no-stream' : revision });
    const startedAt_ms = performance.now();
    return send().catch((error: unknown) => {
      // After a timeout, the store is overloaded, and the caller has waited long enough.
      const isQuick = performance.now() - startedAt_ms < QUICK_FAILURE_ms;
      if (error instanceof EventStoreUnavailable && isQuick) return send();
      throw error;
    });
  }

  async function requireWritten<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    stream: StreamId,
    ids: CommandIds,
  ): Promise<CommandResult<State>> {
    const written = await findWritten(aggregate, stream, ids);
    if (!written) throw new Error(`Stream ${stream} does not contain the appended events`);
    return written;
  }

  function forget(): void {
    invalidations += 1;
    cache.clear();
  }

  const handleInTurn: CommandHandler['handle'] = (aggregate, id, decide, origin, options = {}) => {
    const stream = toStreamId(aggregate, id);
    const ids = origin.ids?.deriveCommandIds(stream) ?? RANDOM_COMMAND_IDS;
    return runInTurn(stream, () => handle(aggregate, id, decide, origin, ids, options));
  };

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

function emptyStream<State>({ initial }: Pick<Aggregate<State, DomainEvent>, 'initial'>): LoadedState<State> {
  return { state: initial, revision: -1, position: null };
}

/** Returns the event in the form of this build. Throws an error if this build does not know the type of the event. */
function toEvent(
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

function evolveWith<State, Event extends DomainEvent>(
  { evolve }: Aggregate<State, Event>,
  state: State,
  event: Event,
  { revision, position, meta }: RecordedEvent,
): LoadedState<State> {
  return { state: evolve(state, event, meta.at), revision, position };
}

function toAppend(
  aggregate: Pick<Aggregate<unknown, DomainEvent>, 'eventDefinitions'>,
  event: DomainEvent,
  id: string,
  meta: EventMeta,
): EventToAppend {
  const definition = aggregate.eventDefinitions.find(({ type }) => type === event.type);
  if (!definition) throw new Error(`${event.type} is not an event of this aggregate`);
  return { id, type: event.type, version: definition.version, data: event.data, meta };
}
