import {
  toDomainEvent,
  UnreadableEventError,
  type FieldChange,
  type EventStore,
  type RecordedDomainEvent,
  type HistoryReducer,
  type HistoryStep,
  type StreamId,
} from '@alpenglow/domain';
import { createCursorBefore, type HistoryQuery, type TimeQuery } from './history-query.ts';

const PAGE_SIZE = 1_000;

/**
 * The event stream from which the history of an ad, an account or a thread is read. `includes` selects the events of
 * the stream that belong to the history. The other events may change the state, too.
 */
export interface HistorySource<State> {
  readonly stream: StreamId;
  readonly includes: (event: RecordedDomainEvent) => boolean;
  readonly fold: HistoryReducer<State>;
}

/** The requested time, and the times of the events before and after this time. Times are in ISO 8601 format and UTC. */
interface Moment {
  readonly at: string;
  readonly revision: number | null;
  readonly previousAt: string | null;
  readonly nextAt: string | null;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly events: number;
}

/**
 * Yields every event of a history in order, together with the states before and after the event. Unknown event types
 * are skipped. An event whose personal data cannot be decrypted does not change the state, and its step contains the
 * reason.
 */
export async function* readChanges<State>(
  store: EventStore,
  { stream, includes, fold }: HistorySource<State>,
): AsyncGenerator<HistoryStep<State>> {
  let before = fold.initial;
  for (let from = 0; ; from += PAGE_SIZE) {
    const page = await store.readStream(stream, { from, limit: PAGE_SIZE });
    for (const recorded of page) {
      const { unreadable } = recorded;
      const event = unreadable === undefined ? toDomainEvent(recorded) : (recorded as unknown as RecordedDomainEvent);
      if (!event) continue;
      const after = unreadable === undefined ? fold.evolve(before, event) : before;
      if (includes(event)) yield { event, before, after, ...(unreadable !== undefined && { unreadable }) };
      before = after;
    }
    if (page.length < PAGE_SIZE) return;
  }
}

/** Reads one page of a history, the newest event first. */
export async function readPage<State>(
  store: EventStore,
  thing: HistorySource<State>,
  { before, limit, type }: HistoryQuery,
): Promise<{ readonly page: readonly HistoryStep<State>[]; readonly nextCursor: string | null }> {
  const last: HistoryStep<State>[] = [];
  for await (const change of readChanges(store, thing)) {
    if (before !== null && change.event.revision >= before) break;
    if (type !== null && change.event.type !== type) continue;
    last.push(change);
    // One additional event is included, because it shows whether another page follows.
    if (last.length > limit + 1) last.shift();
  }
  const shown = last.slice(-limit);
  return {
    page: shown.toReversed(),
    nextCursor: last.length > limit && shown[0] ? createCursorBefore(shown[0].event.revision) : null,
  };
}

export interface StateAt<State> {
  readonly state: State;
  readonly moment: Moment;
  /** The changes between the two requested times. Null if only one time was requested. */
  readonly difference: readonly FieldChange[] | null;
}

/**
 * Reads the past state of an ad, an account or a thread, and the changes between this time and an optional second time.
 * Returns null if the history contains no events. Throws `UnreadableEventError` if an event up to these times cannot be
 * decrypted, because the state would be incomplete.
 */
export async function readStateAt<State>(
  store: EventStore,
  thing: HistorySource<State>,
  { at, and }: TimeQuery,
): Promise<StateAt<State> | null> {
  const first = createStateAt(thing.fold.initial, at);
  const second = createStateAt(thing.fold.initial, and ?? at);
  let [firstAt, lastAt, events]: [string | null, string, number] = [null, '', 0];
  const last = and === null || and < at ? at : and;
  for await (const { event, after, unreadable } of readChanges(store, thing)) {
    if (unreadable !== undefined && event.meta.at <= last) throw new UnreadableEventError(unreadable);
    first.apply(event, after);
    second.apply(event, after);
    firstAt ??= event.meta.at;
    lastAt = event.meta.at;
    events += 1;
  }
  if (firstAt === null) return null;
  const { revision, previousAt, nextAt } = first.position();
  const difference = and === null ? null : thing.fold.findChanges(first.state(), second.state());
  return { state: first.state(), moment: { at, revision, previousAt, nextAt, firstAt, lastAt, events }, difference };
}

/** Creates an object that receives the events of a history in order and computes the state at a time. */
function createStateAt<State>(initial: State, at: string) {
  let state = initial;
  let revision: number | null = null;
  let times: readonly [previous: string | null, current: string | null] = [null, null];
  let nextAt: string | null = null;
  return {
    apply(event: RecordedDomainEvent, after: State): void {
      if (nextAt !== null || event.meta.at > at) {
        nextAt ??= event.meta.at;
        return;
      }
      times = event.meta.at === times[1] ? times : [times[1], event.meta.at];
      [state, revision] = [after, event.revision];
    },
    state: () => state,
    position: () => ({ revision, previousAt: times[0], nextAt }),
  };
}
