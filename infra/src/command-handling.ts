import {
  ConcurrencyConflict,
  DomainError,
  streamOf,
  toDomainEvent,
  type Actor,
  type Aggregate,
  type DecisionContext,
  type DomainEvent,
  type EventMeta,
  type EventStore,
  type EventToAppend,
  type Position,
} from '@alpenglow/domain';
import { LRUCache } from 'lru-cache';
import { v7 as uuidv7 } from 'uuid';
import { createTurns } from './in-turn.ts';
import { drawRandomBytes } from './random.ts';

/** Where a command comes from. */
export interface CommandOrigin {
  readonly actor: Actor;
  readonly correlationId: string;
  /** The event that caused this command, for reactors and workers. */
  readonly causationId?: string;
}

export interface Handled<State> {
  readonly state: State;
  readonly events: readonly DomainEvent[];
  /** The stream's last revision, -1 while it is empty. */
  readonly revision: number;
  /** Where the stream's last event stands; null while it is empty. A reader that has reached it sees this command's effect. */
  readonly position: Position | null;
}

export interface CommandHandler {
  /**
   * Loads the stream, decides, appends with the expected revision; starts over, at most 5 times, when another writer was first. Commands
   * on one stream go one after the other in a process, so that other writers are other processes: a thread that everybody answers at once
   * loses no reply.
   * With `isNew` it takes the stream for empty at first, which saves reading where that is so, and with `loaded` for what was just
   * read of it; it reads when it was wrong.
   * Throws what `decide` throws; STALE when `ifRevision` is not the stream's revision; CONFLICT when the attempts are used up.
   */
  handle<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    id: string,
    decide: (state: State, context: DecisionContext) => readonly Event[],
    origin: CommandOrigin,
    options?: HandlingOptions<State>,
  ): Promise<Handled<State>>;
  /** The aggregate as it is now. */
  load<State, Event extends DomainEvent>(aggregate: Aggregate<State, Event>, id: string): Promise<Loaded<State>>;
}

/** One that keeps what it has folded. */
export interface RememberingCommandHandler extends CommandHandler {
  /** Folds every stream anew from here on: what was kept may have words of somebody who was erased. */
  forget(): void;
}

export interface HandlingOptions<State> {
  readonly ifRevision?: number | null;
  readonly now?: string;
  readonly isNew?: boolean;
  readonly loaded?: Loaded<State>;
}

export interface Loaded<State> {
  readonly state: State;
  readonly revision: number;
  readonly position: Position | null;
}

const MAX_ATTEMPTS = 5;
const PAGE = 500;
const CACHED_STREAMS = 5_000;

/**
 * Handles commands against an event store. States already folded are kept, so that only newer events are read; the
 * expected revision guards against everything else.
 */
export function createCommandHandler(store: EventStore): RememberingCommandHandler {
  const cache = new LRUCache<string, Loaded<unknown>>({ max: CACHED_STREAMS });
  /** How often everything was forgotten: what was loaded before that is not kept. */
  let forgotten = 0;
  const inTurn = createTurns();

  async function load<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    id: string,
  ): Promise<Loaded<State>> {
    const stream = streamOf(aggregate, id);
    const since = forgotten;
    let loaded = (cache.get(stream) as Loaded<State> | undefined) ?? {
      state: aggregate.initial,
      revision: -1,
      position: null,
    };
    for (;;) {
      const page = await store.readStream(stream, { from: loaded.revision + 1, limit: PAGE });
      for (const recorded of page) {
        const event = toDomainEvent(recorded);
        if (!event)
          throw new Error(
            `Stream ${stream} holds ${recorded.type}, which this build does not know: it must not decide on it`,
          );
        loaded = {
          state: aggregate.evolve(loaded.state, event as unknown as Event, recorded.meta.at),
          revision: recorded.revision,
          position: recorded.position,
        };
      }
      if (page.length < PAGE) break;
    }
    if (loaded.revision >= 0 && since === forgotten) cache.set(stream, loaded);
    return loaded;
  }

  async function handle<State, Event extends DomainEvent>(
    aggregate: Aggregate<State, Event>,
    id: string,
    decide: (state: State, context: DecisionContext) => readonly Event[],
    origin: CommandOrigin,
    {
      ifRevision = null,
      now = new Date().toISOString(),
      isNew = false,
      loaded = isNew ? empty(aggregate) : undefined,
    }: HandlingOptions<State>,
  ): Promise<Handled<State>> {
    const stream = streamOf(aggregate, id);
    for (let attempt = 1; ; attempt += 1) {
      const since = forgotten;
      const before = (attempt === 1 && loaded) || (await load(aggregate, id));
      if (ifRevision !== null && ifRevision !== before.revision) throw new DomainError('STALE');
      const events = decide(before.state, { now, newId });
      if (events.length === 0) return { ...before, events };
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
          { expectedRevision: before.revision < 0 ? 'no-stream' : before.revision },
        );
        const fold = () => events.reduce((folded, event) => aggregate.evolve(folded, event, now), before.state);
        // Whoever makes many new streams would push out of the memory those that are in use, and seldom looks at what they have become.
        if (isNew) return foldedWhenAsked(fold, { events, ...appended });
        const state = fold();
        if (since === forgotten) cache.set(stream, { state, ...appended });
        return { state, events, ...appended };
      } catch (error) {
        if (!(error instanceof ConcurrencyConflict)) throw error;
        if (attempt === MAX_ATTEMPTS) throw new DomainError('CONFLICT');
      }
    }
  }

  function forget(): void {
    forgotten += 1;
    cache.clear();
  }

  return {
    load,
    forget,
    handle: (aggregate, id, decide, origin, options = {}) =>
      inTurn(streamOf(aggregate, id), () => handle(aggregate, id, decide, origin, options)),
  };
}

function foldedWhenAsked<State>(
  fold: () => State,
  { events, revision, position }: Omit<Handled<State>, 'state'>,
): Handled<State> {
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

/** A UUID of version 7: those of one time stand together in indexes. */
function newId(): string {
  return uuidv7({ random: drawRandomBytes(16) });
}

function empty<State>({ initial }: Pick<Aggregate<State, DomainEvent>, 'initial'>): Loaded<State> {
  return { state: initial, revision: -1, position: null };
}

function toAppend(
  aggregate: Pick<Aggregate<unknown, DomainEvent>, 'definitions'>,
  event: DomainEvent,
  meta: EventMeta,
): EventToAppend {
  const definition = aggregate.definitions.find((one) => one.type === event.type);
  if (!definition) throw new Error(`${event.type} is not an event of this aggregate`);
  return { id: newId(), type: event.type, version: definition.version, data: event.data, meta };
}
