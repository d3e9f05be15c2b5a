import {
  ConcurrencyConflict,
  DomainError,
  EventStoreUnavailable,
  InvalidAppend,
  toStreamId,
  type Actor,
  type Aggregate,
  type AppendResult,
  type CommandHandler,
  type CommandIds,
  type CommandOrigin,
  type CommandResult,
  type Decision,
  type DomainEvent,
  type EventMeta,
  type EventStore,
  type EventToAppend,
  type HandlingOptions,
  type LoadedState,
  type StreamId,
} from '@alpenglow/domain';
import { emptyStream } from './loaded-state.ts';
import { RANDOM_COMMAND_IDS } from './request-ids.ts';
import { startSpan, withSpan } from '../tracing/tracing.ts';
import { createSerialRunner } from './serial-runner.ts';
import { createStreamStates, type StreamStates } from './stream-states.ts';
import { findWritten, requireWritten } from './written-commands.ts';

export type { CommandHandler, CommandOrigin } from '@alpenglow/domain';

const MAX_ATTEMPTS = 5;
/** The maximum number of attempts if some of them conflict only with events of the same actor. */
const MAX_ATTEMPTS_WITH_OWN = 20;
/** An append that failed within this time did not time out. */
const QUICK_FAILURE_ms = 2_000;

/**
 * Creates a command handler for an event store. It caches the states of streams, so that it has to read only newer
 * events. An append with the expected revision fails if the cached state is outdated. `clearCache` must be called after
 * an erasure, because cached states may contain personal data.
 */
export function createCommandHandler(store: EventStore): CommandHandler & { clearCache(): void } {
  const states = createStreamStates(store);
  const runInTurn = createSerialRunner();

  const handleInTurn: CommandHandler['handle'] = (aggregate, id, decide, origin, options = {}) => {
    const stream = toStreamId(aggregate, id);
    const ids = origin.ids?.deriveCommandIds(stream) ?? RANDOM_COMMAND_IDS;
    const span = startSpan(`command ${aggregate.name}`, origin.traceparent);
    const caused = span ? { ...origin, traceparent: span.traceparent } : origin;
    const command = { aggregate, id, stream, decide, origin: caused, ids };
    return withSpan(span, () => runInTurn(stream, () => handleCommand({ store, states }, command, options)));
  };

  return {
    load: states.load,
    clearCache: states.forget,
    handle: handleInTurn,
    execute: (aggregate, id, decide, command, origin, options) =>
      handleInTurn(aggregate, id, (state, context) => decide(command, state, context), origin, options),
  };
}

interface Stores {
  readonly store: EventStore;
  readonly states: StreamStates;
}

/** A command of one stream. */
interface StreamCommand<State, Event extends DomainEvent> {
  readonly aggregate: Aggregate<State, Event>;
  readonly id: string;
  readonly stream: StreamId;
  readonly decide: Decision<State, Event>;
  readonly origin: CommandOrigin;
  readonly ids: CommandIds;
}

async function handleCommand<State, Event extends DomainEvent>(
  stores: Stores,
  command: StreamCommand<State, Event>,
  {
    ifRevision = null,
    now = new Date().toISOString(),
    isNew = false,
    loaded = isNew ? emptyStream(command.aggregate) : undefined,
    before,
  }: HandlingOptions<State>,
): Promise<CommandResult<State>> {
  const { store, states } = stores;
  const { aggregate, id, stream, decide, origin, ids } = command;
  const earlier = origin.ids?.isRepeated ? await findWritten(store, aggregate, stream, ids) : null;
  if (earlier) return earlier;
  await before?.();
  let conflictsWithOthers = 0;
  for (let attempt = 1; ; attempt += 1) {
    const atStart = states.version();
    const current = (attempt === 1 && loaded) || (await states.load(aggregate, id));
    if (ifRevision !== null && ifRevision !== current.revision) throw new DomainError('STALE');
    const events = decide(current.state, { now, newId: ids.createDecisionIds() });
    if (events.length === 0) return { ...current, events };
    try {
      return await appendDecided(stores, command, { current, events, now, isNew, atStart });
    } catch (error) {
      // The earlier attempt has written another number of events, so the store does not recognize a repetition.
      if (error instanceof InvalidAppend && origin.ids) {
        const written = await findWritten(store, aggregate, stream, ids);
        if (written) return written;
      }
      if (!(error instanceof ConcurrencyConflict)) throw error;
      if (!(await isOnlyBy(store, stream, current.revision, origin.actor))) conflictsWithOthers += 1;
      if (conflictsWithOthers === MAX_ATTEMPTS || attempt === MAX_ATTEMPTS_WITH_OWN) throw new DomainError('CONFLICT');
    }
  }
}

/** Returns true if a stream has events after a revision, and `actor` has caused all of them. */
async function isOnlyBy(
  store: Pick<EventStore, 'readStream'>,
  stream: StreamId,
  after: number,
  actor: Actor,
): Promise<boolean> {
  const events = await store.readStream(stream, { from: after + 1 });
  const isSame = ({ actor: other }: EventMeta) =>
    actor.kind === 'account'
      ? other.kind === 'account' && other.accountId === actor.accountId
      : other.kind === 'system' && other.name === actor.name;
  return events.length > 0 && events.every(({ meta }) => isSame(meta));
}

interface DecidedEvents<State, Event extends DomainEvent> {
  /** The state on which the events were decided. */
  readonly current: LoadedState<State>;
  readonly events: readonly Event[];
  readonly now: string;
  /** True if the caller assumed that the stream is empty. */
  readonly isNew: boolean;
  /** The version of the cached states before `current` was loaded. */
  readonly atStart: number;
}

/** Appends the events of a decision, and returns the result of the command. */
async function appendDecided<State, Event extends DomainEvent>(
  { store, states }: Stores,
  { aggregate, stream, origin, ids }: StreamCommand<State, Event>,
  { current, events, now, isNew, atStart }: DecidedEvents<State, Event>,
): Promise<CommandResult<State>> {
  const span = startSpan('append', origin.traceparent, { kind: 'producer' });
  const meta: EventMeta = {
    correlationId: origin.correlationId,
    causationId: origin.causationId ?? null,
    actor: origin.actor,
    at: now,
    ...(span && { traceparent: span.traceparent }),
  };
  const toStore = events.map((event, index) => toAppend(aggregate, event, ids.toEventId(index), meta));
  const appended = await withSpan(
    span,
    () => appendAgainIfUnknown(store, stream, toStore, current.revision),
    span ? { 'alpenglow.event.ids': toStore.map((event) => event.id) } : undefined,
  );
  // An earlier attempt of the request may have written its events after they were searched. The store has then returned
  // their revision, and their content may differ.
  const isOwnAppend = appended.revision === current.revision + events.length;
  if (origin.ids && (origin.ids.isRepeated || !isOwnAppend)) return requireWritten(store, aggregate, stream, ids);
  const fold = () => events.reduce((folded, event) => aggregate.evolve(folded, event, now), current.state);
  // The states of new streams are not cached, because they are rarely read again and would replace frequently used
  // states in the cache.
  if (isNew) return foldLazily(fold, { events, ...appended });
  const state = fold();
  const lastEventId = toStore.at(-1)?.id;
  if (lastEventId !== undefined) states.add(stream, { state, ...appended, lastEventId }, atStart);
  return { state, events, ...appended };
}

/**
 * Appends events. If the connection to the store breaks, sends the same events a second time, because it is unknown
 * whether the first append was written. The store recognizes the ids of the events.
 */
async function appendAgainIfUnknown(
  store: Pick<EventStore, 'append'>,
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
