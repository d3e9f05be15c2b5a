import { setImmediate as immediately } from 'node:timers/promises';
import {
  comparePositions,
  progressTowards,
  START,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { applyBatch, foldEvents, isDataError, touchingOf, type Parked } from './apply-batch.ts';
import { keepRows } from './kept-rows.ts';
import type { Projection } from './projection.ts';
import { inReadModelTransaction } from './transaction.ts';

export interface FillDependencies {
  readonly store: EventStore;
  readonly pool: Pool;
  /** Awaited between slices of a few milliseconds, so that whoever shares this process goes first; without, they wait for one slice at most. */
  readonly stepBack?: () => Promise<unknown>;
}

/** How far tables that are built beside the live ones have come. */
export interface Filled {
  readonly position: Position;
  /** Handled so far. */
  readonly events: number;
  readonly parked: readonly Parked[];
}

export interface FillOptions {
  /** Told after each page; `fraction` is 0 to 1, an estimate. */
  readonly onProgress?: (progress: { readonly events: number; readonly fraction: number }) => void;
  /** Asked after each page: true ends here, with everything written, to be gone on with later. */
  readonly isPausing?: () => boolean;
  /** Ids of events that an admin had left out for good. */
  readonly skipped?: ReadonlySet<string>;
  /** About how much memory rows may take up before they are written: 96 MB unless told. */
  readonly kept_bytes?: number;
  /** Aborting rejects; what was written is then of no use. */
  readonly signal?: AbortSignal | undefined;
}

/** What lies in memory at a time, and is copied by each collection of garbage. */
const PAGE_events = 250;
/** Folded in a few milliseconds. */
const SLICE_events = 50;

/**
 * Fills a projection's `rebuild` tables, which are empty where `from.position` is `START`, with what happened after it, up to where the
 * store ends now. Rows are kept in memory, within bounds, and written when these are reached and at the end: everything is written when
 * it returns, also when it was asked to pause before the end.
 */
export async function fillTables(
  projection: Projection,
  deps: FillDependencies,
  from: Filled,
  { onProgress, isPausing, skipped, kept_bytes, signal }: FillOptions = {},
): Promise<Filled & { readonly isAtHead: boolean }> {
  const { store, pool, stepBack = immediately } = deps;
  const rows = keepRows(projection, 'rebuild', {
    isEmpty: from.position === START,
    ...(kept_bytes !== undefined && { kept_bytes }),
  });
  const parkedStreams = new Set(from.parked.map(({ stream }) => stream));
  let written = from;
  let folded = from;
  let isPaused = false;

  async function write(): Promise<void> {
    try {
      await inReadModelTransaction(pool, (client) => rows.write(client, stepBack));
      rows.settle();
    } catch (error) {
      if (!isDataError(error)) throw error;
      // Which event is at fault shows when they are applied page by page.
      rows.clear();
      folded = await applyAgain(projection, deps, written, folded.position, skipped, signal);
      for (const { stream } of folded.parked) parkedStreams.add(stream);
    }
    written = folded;
  }

  const head = await store.head();
  for await (const page of pagesAfter(store, from.position, Object.keys(projection.on))) {
    signal?.throwIfAborted();
    for (const slice of slicesOf(page)) {
      const touching = touchingOf(projection, without(slice, skipped));
      await rows.load(pool, touching);
      const parked = foldEvents(projection, touching, rows, parkedStreams);
      folded = {
        position: slice.at(-1)?.position ?? folded.position,
        events: folded.events + slice.length,
        parked: parked.length > 0 ? [...folded.parked, ...parked] : folded.parked,
      };
      if (rows.isFull()) {
        await write();
        rows.clear();
      }
      await stepBack();
    }
    onProgress?.({ events: folded.events, fraction: progressTowards(folded.position, head) });
    isPaused = isPausing?.() === true;
    if (isPaused) break;
  }
  await write();
  const { position } = folded;
  // Of events of other types there is nothing to handle: whoever has read to the end has come this far.
  return {
    ...folded,
    position: !isPaused && comparePositions(position, head) < 0 ? head : position,
    isAtHead: !isPaused,
  };
}

/** Applies what happened between two positions page by page, each written before the next. */
async function applyAgain(
  projection: Projection,
  { store, pool }: FillDependencies,
  from: Filled,
  until: Position,
  skipped: FillOptions['skipped'],
  signal: AbortSignal | undefined,
): Promise<Filled> {
  const parked = [...from.parked];
  const parkedStreams = new Set(parked.map(({ stream }) => stream));
  let { position, events } = from;
  for await (const page of pagesAfter(store, position, Object.keys(projection.on))) {
    signal?.throwIfAborted();
    const batch = page.filter((event) => comparePositions(event.position, until) <= 0);
    for (const one of await inReadModelTransaction(pool, (client) =>
      applyBatch(client, projection, 'rebuild', without(batch, skipped), parkedStreams),
    )) {
      parkedStreams.add(one.stream);
      parked.push(one);
    }
    position = batch.at(-1)?.position ?? position;
    events += batch.length;
    if (batch.length < page.length) break;
  }
  return { position, events, parked };
}

function without(events: readonly RecordedEvent[], skipped: FillOptions['skipped']): readonly RecordedEvent[] {
  return skipped?.size ? events.filter(({ id }) => !skipped.has(id)) : events;
}

function* slicesOf(events: readonly RecordedEvent[]): Generator<readonly RecordedEvent[]> {
  for (let from = 0; from < events.length; from += SLICE_events) yield events.slice(from, from + SLICE_events);
}

/** Pages of all events of these types after a position, each read while the one before it is being handled. */
async function* pagesAfter(
  store: EventStore,
  after: Position,
  types: readonly string[],
): AsyncGenerator<readonly RecordedEvent[]> {
  const read = (from: Position) => {
    const reading = store.readAll({ after: from, limit: PAGE_events, types });
    // It is asked for its outcome only when the page before it was handled, if at all.
    reading.catch(() => undefined);
    return reading;
  };
  for (let page = await read(after); ; ) {
    const last = page.at(-1);
    if (!last) return;
    const next = read(last.position);
    yield page;
    page = await next;
  }
}
