import type { RecordedEvent } from '@alpenglow/domain';
import type { Projection, Row } from '@alpenglow/projectors';
import { foldEvents, readHandledEvents } from '../projectors/src/apply-batch.ts';
import { shardOf } from '../projectors/src/shards/shards.ts';
import type { Entry, LogChanges } from './log-copy.ts';

/**
 * Returns the rows that a projection has after the events up to `checkpoints`, computed in memory. `checkpoints` has
 * the position of each shard, or one position. Each call folds only the events that the previous call had not folded,
 * and the rows of events that have changed since. Call it with every result of the log, because `changed` has
 * only the changes since the previous one.
 */
export type Fold = (log: LogChanges, checkpoints: readonly bigint[]) => ReadonlyMap<string, Row>;

/** Creates a fold of one projection. */
export function createFold(projection: Projection): Fold {
  let rows = new Map<string, Row>();
  let folded: readonly bigint[] = [];
  /** True if an event could not be applied. Later events of its stream are skipped, so each call folds all events. */
  let hasParked = false;

  const handles = ({ event }: Entry) => event.type in projection.on;
  const apply = (entries: readonly Entry[]) => {
    const table = {
      get: (key: string) => rows.get(key) ?? null,
      set: (key: string, row: Row | null) => void (row === null ? rows.delete(key) : rows.set(key, row)),
    };
    const events = readHandledEvents(
      projection,
      entries.map(({ event }) => event),
    );
    if (foldEvents(projection, events, table, new Set()).length > 0) hasParked = true;
  };
  const keysOf = (events: readonly RecordedEvent[]) =>
    readHandledEvents(projection, events).flatMap(({ key, error }) => (key === null || error ? [] : [key]));

  const foldAll = (entries: readonly Entry[], checkpoints: readonly bigint[]) => {
    rows = new Map();
    hasParked = false;
    apply(entries.filter((entry) => handles(entry) && isAt(entry, checkpoints)));
  };
  /** Folds the rows of the changed events again, and then the events that are not folded yet. */
  const foldNew = ({ entries, changed }: LogChanges, checkpoints: readonly bigint[]) => {
    const keys = new Set(keysOf(changed.flatMap(({ before, after }) => [before, after])));
    for (const key of keys) rows.delete(key);
    if (keys.size > 0)
      apply(
        entries
          .slice(0, indexAfterPosition(entries, folded.reduce(most, 0n)))
          .filter(
            (entry) => handles(entry) && isAt(entry, folded) && keysOf([entry.event]).some((key) => keys.has(key)),
          ),
      );
    apply(
      entries
        .slice(indexAfterPosition(entries, folded.reduce(least, folded[0] ?? 0n)))
        .filter((entry) => handles(entry) && isAt(entry, checkpoints) && !isAt(entry, folded)),
    );
  };

  return (log, checkpoints) => {
    const isContinued =
      !log.isReplaced &&
      !hasParked &&
      folded.length === checkpoints.length &&
      checkpoints.every((checkpoint, shard) => checkpoint >= (folded[shard] ?? 0n));
    if (isContinued) foldNew(log, checkpoints);
    if (!isContinued || hasParked) foldAll(log.entries, checkpoints);
    folded = [...checkpoints];
    return rows;
  };
}

/** Returns true if an event is at or before the checkpoint of its shard. */
function isAt({ event, at }: Entry, checkpoints: readonly bigint[]): boolean {
  return at <= (checkpoints[shardOf(event.stream, checkpoints.length)] ?? 0n);
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);
const most = (a: bigint, b: bigint) => (a > b ? a : b);

/** Returns the index of the first entry after a position. */
export function indexAfterPosition(entries: readonly Entry[], position: bigint): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.at ?? 0n) > position) high = middle;
    else low = middle + 1;
  }
  return low;
}
