import { toDomainEvent, type Change, type EventStore, type Recorded, type Telling, type Told } from '@alpenglow/domain';
import { cursorBefore, type HistoryQuery, type MomentQuery } from './history-query.ts';

const PAGE = 1_000;

/** Something whose history is told: all of a stream, or those of its events that are about it. */
export interface Thing<State> {
  readonly stream: string;
  readonly isAbout: (event: Recorded) => boolean;
  readonly telling: Telling<State>;
}

/** Where in its history something was looked at. Times are ISO 8601, UTC. */
export interface Moment {
  readonly at: string;
  readonly revision: number | null;
  readonly previousAt: string | null;
  readonly nextAt: string | null;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly events: number;
}

/** Every event of a history with what was before and after it, the first one first. Types this build does not know are left out. */
export async function* tell<State>(
  store: EventStore,
  { stream, isAbout, telling }: Thing<State>,
): AsyncGenerator<Told<State>> {
  let before = telling.initial;
  for (let from = 0; ; from += PAGE) {
    const page = await store.readStream(stream, { from, limit: PAGE });
    for (const recorded of page) {
      const event = toDomainEvent(recorded);
      if (!event || !isAbout(event)) continue;
      const after = telling.evolve(before, event);
      yield { event, before, after };
      before = after;
    }
    if (page.length < PAGE) return;
  }
}

/** A page of a history, the last event first. */
export async function readPage<State>(
  store: EventStore,
  thing: Thing<State>,
  { before, limit, type }: HistoryQuery,
): Promise<{ readonly page: readonly Told<State>[]; readonly nextCursor: string | null }> {
  const last: Told<State>[] = [];
  for await (const told of tell(store, thing)) {
    if (before !== null && told.event.revision >= before) break;
    if (type !== null && told.event.type !== type) continue;
    last.push(told);
    // One more than a page has says whether another follows.
    if (last.length > limit + 1) last.shift();
  }
  const shown = last.slice(-limit);
  return {
    page: shown.toReversed(),
    nextCursor: last.length > limit && shown[0] ? cursorBefore(shown[0].event.revision) : null,
  };
}

export interface AsOfMoment<State> {
  readonly state: State;
  readonly moment: Moment;
  /** What differs at the other moment that was asked for; null where none was. */
  readonly difference: readonly Change[] | null;
}

/** Something as it stood at a moment, and what differs at another; null where there are no events of it at all. Events are told as `asOf` of the domain tells them. */
export async function readMoment<State>(
  store: EventStore,
  thing: Thing<State>,
  { at, and }: MomentQuery,
): Promise<AsOfMoment<State> | null> {
  const first = standingAt(thing.telling.initial, at);
  const second = standingAt(thing.telling.initial, and ?? at);
  let [firstAt, lastAt, events]: [string | null, string, number] = [null, '', 0];
  for await (const { event, after } of tell(store, thing)) {
    first.see(event, after);
    second.see(event, after);
    firstAt ??= event.meta.at;
    lastAt = event.meta.at;
    events += 1;
  }
  if (firstAt === null) return null;
  const { revision, previousAt, nextAt } = first.where();
  const difference = and === null ? null : thing.telling.changes(first.state(), second.state());
  return { state: first.state(), moment: { at, revision, previousAt, nextAt, firstAt, lastAt, events }, difference };
}

/** Follows a history up to a moment. */
function standingAt<State>(initial: State, at: string) {
  let state = initial;
  let revision: number | null = null;
  let times: readonly [previous: string | null, current: string | null] = [null, null];
  let nextAt: string | null = null;
  return {
    see(event: Recorded, after: State): void {
      if (nextAt !== null || event.meta.at > at) {
        nextAt ??= event.meta.at;
        return;
      }
      times = event.meta.at === times[1] ? times : [times[1], event.meta.at];
      [state, revision] = [after, event.revision];
    },
    state: () => state,
    where: () => ({ revision, previousAt: times[0], nextAt }),
  };
}
