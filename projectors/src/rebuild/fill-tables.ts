import { setImmediate as immediately } from 'node:timers/promises';
import {
  comparePositions,
  estimateProgress,
  START_POSITION,
  type LogMark,
  type EventStore,
  type Position,
  type RecordedEvent,
} from '@alpenglow/domain';
import type { Slots } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { applyBatch, foldEvents, isDataError, readHandledEvents, type ParkedEvent } from '../apply-batch.ts';
import { createRowCache } from './row-cache.ts';
import type { Projection } from '../projection.ts';
import { completeRows, refoldRows } from '../purge/refold.ts';
import { inReadModelTransaction, type ReadModelTransactionOptions } from '../read-model-transaction.ts';
import { readHeadMark, requireInLog } from './log-marks.ts';
import { finishRebuildErasures, readRebuildErasures } from './rebuild-erasures.ts';
import type { LogReader } from './shared-pages.ts';

export type FillDependencies = Dependencies<'store' | 'pool' | 'yieldToOtherWork'>;

/**
 * The progress of filling the tables of a read model. All events up to `position` are applied, skipped or listed in
 * `parked`.
 */
export interface FillState {
  readonly position: Position;
  /** The id of the event at `position`. Null or missing if it is not known. */
  readonly eventId?: string | null;
  readonly events: number;
  readonly parked: readonly ParkedEvent[];
}

/**
 * The progress when the filling of tables ends. `isAtHead` is false if filling was paused before the end of the event
 * log.
 */
export type FillResult = FillState & { readonly isAtHead: boolean };

export interface FillOptions {
  /** Called after each page of events. `fraction` is the estimated progress from 0 to 1. */
  readonly onProgress?: (progress: { readonly events: number; readonly fraction: number }) => void;
  /**
   * Called after each page of events. If the function returns true, filling writes all changed rows and stops. Filling
   * can be resumed later.
   */
  readonly isPausing?: () => boolean;
  /** The ids of the events that an admin has excluded from this projection. */
  readonly skipped?: ReadonlySet<string>;
  /** The approximate memory that cached rows may use before they are written. Default: 96 MB. */
  readonly cacheLimit_bytes?: number;
  /** Reads the events after `from.position`. Default: a reader that shares no events with other projections. */
  readonly reader?: Pick<LogReader, 'read'>;
  /** Limits the number of projections whose rows are written at the same time. Default: no limit. */
  readonly writes?: Slots;
  /** If `signal` aborts, `fillTables` rejects, and the caller must discard the rows that were written. */
  readonly signal?: AbortSignal | undefined;
}

/** The number of events that are read per page. A large page needs about a quarter less processor time per event. */
const PAGE_events = 1_000;
/** The same in a process that also serves requests, because other work has to wait while a page is read. */
const SHORT_PAGE_events = 250;
/**
 * The number of events that are applied before other work may run. Applying this number of events takes a few
 * milliseconds.
 */
const BATCH_events = 50;
/** The interval at which the requests of erasures are read. */
const ERASURES_EVERY_ms = 500;

/**
 * Fills the `rebuild` tables of a projection with the events after `from.position`, up to the current end of the store.
 * If `from.position` is `START_POSITION`, the tables must be empty. Changed rows are cached in memory and written when
 * the cache is full and at the end. If `isPausing` stops filling early, all rows are still written, and `isAtHead` is
 * false. While the tables are being filled, carries out the requests of erasures (`rebuild-erasures.ts`).
 * Rejects if the store or the database fails, or if `signal` aborts. Throws `LogRewound` if the log was replaced
 * by an older state without an event that the tables may contain. The caller must then discard the rows.
 */
export async function fillTables(
  projection: Projection,
  deps: FillDependencies,
  from: FillState,
  { onProgress, isPausing, skipped, cacheLimit_bytes, reader, writes, signal }: FillOptions = {},
): Promise<FillResult> {
  const { store, pool, yieldToOtherWork = immediately } = deps;
  const rows = createRowCache(projection, 'rebuild', {
    isEmpty: from.position === START_POSITION,
    ...(cacheLimit_bytes !== undefined && { cacheLimit_bytes }),
  });
  const parkedStreams = new Set(from.parked.map(({ stream }) => stream));
  let saved = from;
  let current = from;
  let isPaused = false;
  let checkedErasuresAt_ms = -Infinity;

  /** Writes all changed rows. Returns false if Postgres has rejected one of them, and they were computed again. */
  async function write(options: ReadModelTransactionOptions = {}): Promise<boolean> {
    let isAccepted = true;
    const slot = await writes?.take(signal);
    try {
      signal?.throwIfAborted();
      await inReadModelTransaction(pool, (client) => rows.write(client, yieldToOtherWork), options);
      rows.markWritten();
    } catch (error) {
      if (!isDataError(error)) throw error;
      // Postgres has rejected a row. Applying the events again page by page finds and parks the invalid event.
      rows.reset();
      isAccepted = false;
      current = await applyByPage(projection, deps, saved, current.position, skipped, signal);
      for (const { stream } of current.parked) parkedStreams.add(stream);
    } finally {
      slot?.release();
    }
    saved = current;
    return isAccepted;
  }

  /**
   * Carries out the requests of erasures: computes the requested rows again without the personal data, and writes them
   * to disk. Only then, the requests are marked as finished. If Postgres rejects a row, the requests remain for the
   * next call. Returns true if there were requests. Events that were read earlier may then contain the data, and must
   * be read again.
   */
  async function carryOutErasures(): Promise<boolean> {
    checkedErasuresAt_ms = performance.now();
    const requests = await readRebuildErasures(pool, projection);
    if (requests.length === 0) return false;
    const parked = new Set(current.parked.map(({ position }) => position));
    const excluded = new Map([[projection, { parked, skipped: skipped ?? new Set<string>() }]]);
    for (const { rowKeys, streams } of requests) {
      const keys = new Set(rowKeys);
      const options = { keys: new Map([[projection, keys]]), streams, excluded, from: null, to: current.position };
      const refolded = await refoldRows(options, store, signal ?? new AbortController().signal);
      await rows.loadWhole(pool, rowKeys);
      for (const [key, row] of completeRows(projection, keys, refolded, rows.get)) rows.set(key, row);
    }
    if (await write({ isDurable: true })) await finishRebuildErasures(pool, projection, requests);
    return true;
  }

  // Events after this end are not applied. A single check at the end of filling therefore covers all pages.
  const head = await readHeadMark(store);
  const limit = deps.yieldToOtherWork ? SHORT_PAGE_events : PAGE_events;
  const pages = reader ?? openReader(store, from.position, Object.keys(projection.on), limit);
  let isNextPageStale = false;
  for await (const page of pagesUntil(head.position, pages, { signal, isStale: () => isNextPageStale })) {
    signal?.throwIfAborted();
    for (const batch of batchesOf(page)) {
      const handled = readHandledEvents(projection, withoutSkipped(batch, skipped));
      await rows.load(pool, handled);
      const parked = foldEvents(projection, handled, rows, parkedStreams);
      current = {
        ...markAfter(current, batch),
        events: current.events + batch.length,
        parked: parked.length > 0 ? [...current.parked, ...parked] : current.parked,
      };
      if (rows.isFull()) {
        await write();
        rows.clear();
      }
      await yieldToOtherWork();
    }
    const isCheckDue = performance.now() - checkedErasuresAt_ms > ERASURES_EVERY_ms;
    isNextPageStale = isCheckDue && (await carryOutErasures());
    onProgress?.({ events: current.events, fraction: estimateProgress(current.position, head.position) });
    isPaused = isPausing?.() === true;
    if (isPaused) break;
  }
  await write();
  await carryOutErasures();
  // If the log contains an event, it also contains all earlier events. So if it contains these two events, it contains
  // all events of these tables.
  await requireInLog(store, { position: from.position, id: from.eventId ?? null });
  await requireInLog(store, head);
  const isComplete = !isPaused && comparePositions(current.position, head.position) < 0;
  // Between the last page and the end of the event log, there are only events that the projection does not handle. The
  // tables are therefore complete up to the end of the log.
  return {
    ...current,
    ...(isComplete && { position: head.position, eventId: head.id }),
    isAtHead: !isPaused,
  };
}

/** Applies the events after `from` up to `until` page by page. Each page is written in its own transaction. */
async function applyByPage(
  projection: Projection,
  { store, pool }: FillDependencies,
  from: FillState,
  until: Position,
  skipped: FillOptions['skipped'],
  signal: AbortSignal | undefined,
): Promise<FillState> {
  const parked = [...from.parked];
  const parkedStreams = new Set(parked.map(({ stream }) => stream));
  let current = from;
  const reader = openReader(store, from.position, Object.keys(projection.on));
  for await (const batch of pagesUntil(until, reader, { signal })) {
    signal?.throwIfAborted();
    for (const entry of await inReadModelTransaction(pool, (client) =>
      applyBatch({ client, projection, build: 'rebuild' }, withoutSkipped(batch, skipped), parkedStreams),
    )) {
      parkedStreams.add(entry.stream);
      parked.push(entry);
    }
    current = { ...current, ...markAfter(current, batch), events: current.events + batch.length };
  }
  return { ...current, parked };
}

/** Returns the last event of `batch`, or the event of `state` if the batch is empty. */
function markAfter(
  { position, eventId = null }: FillState,
  batch: readonly RecordedEvent[],
): Pick<FillState, 'position' | 'eventId'> {
  const last: LogMark = batch.at(-1) ?? { position, id: eventId };
  return { position: last.position, eventId: last.id };
}

function withoutSkipped(events: readonly RecordedEvent[], skipped: FillOptions['skipped']): readonly RecordedEvent[] {
  return skipped?.size ? events.filter(({ id }) => !skipped.has(id)) : events;
}

function* batchesOf(events: readonly RecordedEvent[]): Generator<readonly RecordedEvent[]> {
  for (let from = 0; from < events.length; from += BATCH_events) yield events.slice(from, from + BATCH_events);
}

/**
 * Yields the events up to `until` in pages, which may be empty. The next page is read while the caller handles the
 * current page. It is read again if `isStale` returns true after the current page was handled.
 */
async function* pagesUntil(
  until: Position,
  reader: Pick<LogReader, 'read'>,
  { signal, isStale = () => false }: { readonly signal: AbortSignal | undefined; readonly isStale?: () => boolean },
): AsyncGenerator<readonly RecordedEvent[]> {
  const read = (isRepeat: boolean) => {
    const reading = reader.read({ until, isRepeat, signal });
    // The promise is awaited only after the caller has handled the previous page. Until then, this handler prevents an
    // unhandled rejection.
    reading.catch(() => undefined);
    return reading;
  };
  for (let page = await read(false); ; ) {
    const due = page.events.filter(({ position }) => comparePositions(position, until) <= 0);
    if (page.isEnd || due.length < page.events.length) {
      yield due;
      return;
    }
    const next = read(false);
    yield due;
    page = await next;
    if (isStale()) page = await read(true);
  }
}

/** Returns a reader of the events of some types after `after`. It shares no events with other readers. */
function openReader(
  store: EventStore,
  after: Position,
  types: readonly string[],
  limit: number = SHORT_PAGE_events,
): Pick<LogReader, 'read'> {
  let previous = after;
  let current = after;
  return {
    async read({ isRepeat }) {
      if (!isRepeat) previous = current;
      const events = await store.readAll({ after: previous, limit, types });
      current = events.at(-1)?.position ?? previous;
      return { events, isEnd: events.length === 0 };
    },
  };
}
