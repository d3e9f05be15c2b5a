import {
  comparePositions,
  START_POSITION,
  POSITION_WAIT_MAX_ms,
  UNKNOWN_ID_WAIT_MAX_ms,
  type LogMark,
  type Position,
} from '@alpenglow/domain';
import { listen, type Pool } from '../adapters/postgres/pool.ts';
import { nameOfStored, registerReader, storedNameOf } from '../adapters/postgres/read-model-tables.ts';
import type { ReadModel } from '../read-models/index.ts';
import { createCheckpointPolls, POLL_ms } from './checkpoint-polls.ts';
import { createCheckpointWaits } from './checkpoint-waits.ts';
import { withinTime } from './polling-and-slots.ts';
import { recordUses } from './read-model-uses.ts';
import type { WaitOptions } from './wait-for-read-models.ts';
import { useReadModels } from './use-read-models.ts';

/**
 * The Postgres channel with notifications of projections. When a transaction moves the checkpoint of a projection, its
 * commit sends `name:position`. Processes of earlier builds take everything after the first colon for the position.
 */
export const CHECKPOINT_CHANNEL = 'rm_advanced';

/**
 * The Postgres channel with the events of checkpoints. Before a transaction sends the new position of a checkpoint on
 * `CHECKPOINT_CHANNEL`, it sends `name:position:id` on this channel, with the id of the event at the position.
 */
export const CHECKPOINT_EVENT_CHANNEL = 'rm_advanced_event';

/**
 * The checkpoints of all projections, as far as this process knows them. A checkpoint is the position up to which a
 * read model contains all events. A known checkpoint may be too old. It may also be of lost events, for a moment after
 * the database was replaced by an older state. Therefore, `waitFor` does not rely on known checkpoints alone. A read
 * model with effects of lost events has reached no position, until its rebuilt tables take over.
 */
export type ReadModelProgress = ReturnType<typeof createReadModelProgress>;

/**
 * The query that confirms a wait may take this long, even if the limit of the wait is shorter. So a wait with a limit
 * of 0 still resolves to true if the position has already been reached.
 */
const CONFIRM_LIMIT_ms = 1_000;
/** The time limit of `waitUntilLive`. It is long, because the projectors may have to rebuild a large read model. */
const LIVE_LIMIT_ms = 60 * 60_000;
const AT_START: LogMark = { position: START_POSITION, id: null };

export interface ReadModelProgressOptions {
  readonly pool: Pool;
  readonly connectionString: string;
  /** The versions of read models that this process reads. By default, it reads the tables without a version. */
  readonly readModels?: readonly ReadModel[];
  /** The default time limit of `waitFor`. */
  readonly limit_ms?: number;
  /** The time limit of `waitForHead`. */
  readonly headLimit_ms?: number;
  /** Is called every ten seconds while `waitUntilLive` waits, with the read models that are not live. */
  readonly onWaiting?: WaitOptions['onWaiting'];
}

/**
 * Tracks the table `rm.checkpoints` by notifications. It is also polled regularly, because notifications can be lost.
 */
export function createReadModelProgress({
  pool,
  connectionString,
  readModels = [],
  limit_ms: defaultLimit_ms = POSITION_WAIT_MAX_ms,
  headLimit_ms = UNKNOWN_ID_WAIT_MAX_ms,
  onWaiting,
}: ReadModelProgressOptions) {
  /** The checkpoints by the name under which the read model is stored. */
  const marks = new Map<string, LogMark>();
  /** The events of checkpoints whose new position is in the next notification, by the same name. */
  const announced = new Map<string, LogMark>();
  const listeners = new Set<(projection: string) => void>();

  const markOf = (projection: string): LogMark => marks.get(storedNameOf(pool, projection)) ?? AT_START;
  const notify = (projection: string) => {
    for (const listener of listeners) listener(projection);
  };
  const notifyStored = (storedName: string) => {
    const projection = nameOfStored(pool, storedName);
    if (projection !== null) notify(projection);
  };

  function settle(storedName: string, { position, id }: LogMark): void {
    const known = marks.get(storedName);
    marks.set(storedName, { position, id: id ?? (known?.position === position ? known.id : null) });
    for (const _waiter of waits.findDue(storedName, position)) polls.requestPoll();
  }

  const waits = createCheckpointWaits();
  const polls = createCheckpointPolls({
    pool,
    waits,
    onStart() {
      const before = new Map(marks);
      return ({ name, position, id }) => {
        const known = marks.get(name) ?? AT_START;
        if (position === known.position && (id === null || id === known.id)) return;
        notifyStored(name);
        // A notification that arrived during the poll may be newer. Otherwise, a lower position is correct, because a
        // read model that contained lost events was rebuilt (decision 0070).
        if (marks.get(name) === before.get(name)) settle(name, { position, id });
      };
    },
  });

  const listener = listen(
    connectionString,
    [CHECKPOINT_EVENT_CHANNEL, CHECKPOINT_CHANNEL],
    (channel, payload) => {
      const [storedName = '', text = '', id = ''] = payload.split(':');
      const position = text as Position;
      if (channel === CHECKPOINT_EVENT_CHANNEL) {
        announced.set(storedName, { position, id: id || null });
        return;
      }
      const event = announced.get(storedName);
      announced.delete(storedName);
      // Listeners are notified even if the position is unchanged. When a rebuilt read model replaces the current one,
      // its rows change, but its position does not.
      notifyStored(storedName);
      settle(storedName, event?.position === position ? event : { position, id: null });
    },
    {
      onReconnect: () => {
        notify('all');
        polls.requestPoll();
      },
      prepare: (client) => registerReader(client, readModels),
      applicationName: 'alpenglow-progress',
    },
  );
  const polling = setInterval(() => void polls.poll().catch(() => notify('all')), POLL_ms).unref();
  const uses = recordUses(pool, readModels);

  function waitFor(
    projection: string,
    position: Position,
    signal?: AbortSignal,
    limit_ms: number = defaultLimit_ms,
  ): Promise<boolean> {
    const isKnown = comparePositions(markOf(projection).position, position) >= 0;
    const reached = waits.add(storedNameOf(pool, projection), {
      position,
      firstPoll: polls.nextNumber(),
      limit_ms: isKnown ? Math.max(limit_ms, CONFIRM_LIMIT_ms) : limit_ms,
      signal,
    });
    if (isKnown) polls.requestPoll();
    return reached;
  }

  return {
    /** Returns the checkpoint of a projection. The id of its event is null if this process does not know it yet. */
    getMark: markOf,
    /**
     * Resolves when the versions of read models that this process reads are live and contain the events up to `head`
     * that other versions contain. From then on, the statements of the pool read their tables. Rejects if `signal`
     * aborts, and after one hour with the read models that are not live.
     */
    waitUntilLive: (head: Position, signal: AbortSignal, report = onWaiting): Promise<void> =>
      useReadModels(pool, readModels, {
        head,
        signal: AbortSignal.any([signal, AbortSignal.timeout(LIVE_LIMIT_ms)]),
        onWaiting: report,
      }),
    /**
     * Registers a listener that is called after the read model of a projection has changed. The argument is the name of
     * the projection, or `all` if changes may have been missed. Returns a function that removes the listener.
     */
    onChange(callback: (projection: string) => void): () => void {
      listeners.add(callback);
      return () => listeners.delete(callback);
    },
    /**
     * Resolves to true when the read model of the projection contains all events up to the position. Only a poll that
     * starts after the call counts. The checkpoint that this process already knows may be from a log that has since
     * been lost, and the position may belong to a new event that was written in place of a lost one (decision 0070).
     * Resolves to false after `limit_ms`, or if `signal` aborts.
     */
    waitFor,
    /**
     * Returns true if a wait for a write is not necessary, because a poll that started after the write has found its
     * position. `age_ms` is the time since the write. Needs no statement. Polls run every second, so this is the usual
     * case for a write that is not new.
     */
    hasReached(projection: string, { position, age_ms }: { readonly position: Position; readonly age_ms: number }) {
      return polls.hasFound(storedNameOf(pool, projection), position, age_ms);
    },
    /**
     * Waits until the read models of these projections contain all events that are in the log at the time of the call.
     * Ends after `headLimit_ms` at the latest, if `signal` aborts, or if the log cannot be read.
     */
    async waitForHead(
      projections: readonly string[],
      readHead: () => Promise<Position>,
      signal?: AbortSignal,
    ): Promise<void> {
      const end = Date.now() + headLimit_ms;
      const head = await readInTime(readHead, headLimit_ms);
      if (head === null) return;
      const left_ms = Math.max(end - Date.now(), 0);
      await Promise.all(projections.map((projection) => waitFor(projection, head, signal, left_ms)));
    },
    async close(): Promise<void> {
      clearInterval(polling);
      await Promise.all([listener.close(), uses.stop()]);
    },
  };
}

/** Returns the head of the log, or null if the log cannot be read within the time limit. */
const readInTime = (readHead: () => Promise<Position>, limit_ms: number): Promise<Position | null> =>
  withinTime(readHead(), limit_ms, () => new Error('The log did not respond in time')).catch(() => null);
