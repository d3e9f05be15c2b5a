import type { LiveBatch, LiveMessage, Position } from '@alpenglow/domain';

/** A record of a partition: everything of this partition that lies after `after`, up to `position`, is its message. */
export interface LiveRecord {
  readonly after: Position;
  readonly position: Position;
  /** Null for a watermark, which says only how far the partition is. */
  readonly message: LiveMessage | null;
}

/** Puts the partitions of a topic back into one order. */
export interface PartitionMerge {
  /** Takes the next record of a partition. */
  add(partition: number, record: LiveRecord): void;
  /** What can be told now, or null when nothing is new. */
  take(): LiveBatch | null;
  /** How many messages of a partition wait for the others. */
  waiting(partition: number): number;
}

/**
 * Told is what every partition has reached. What a record says of itself is a fact about the event store, whoever wrote it and
 * however often: one at or below what its partition has seen is dropped, and one that follows on something else than what was seen
 * shows that records are missing, so that telling begins anew after the gap. What lies at or before `toldBefore` is not told again.
 */
export function createPartitionMerge(partitions: number, toldBefore: Position | null = null): PartitionMerge {
  const seen: (Position | null)[] = Array.from({ length: partitions }, () => null);
  const pending: LiveMessage[][] = Array.from({ length: partitions }, () => []);
  /** Everything after this that was not told yet is pending or still to come. Null before the first record. */
  let from: Position | null = null;
  /** The last position a batch ended with. */
  let told = toldBefore;

  function lowestSeen(): Position | null {
    let lowest: Position | null = null;
    for (const position of seen) {
      if (position === null) return null;
      if (lowest === null || position < lowest) lowest = position;
    }
    return lowest;
  }

  return {
    add(partition, { after, position, message }) {
      const before = seen[partition];
      if (before === undefined) throw new RangeError(`Partition ${partition} is not one of ${partitions}`);
      if (before === null || after > before) {
        if (from === null || after > from) from = after;
        seen[partition] = after;
      } else if (position <= before) return;
      if (message !== null) pending[partition]?.push(message);
      if (position > after) seen[partition] = position;
    },

    take() {
      const through = lowestSeen();
      if (through === null || from === null || through < from || (told !== null && through <= told)) return null;
      const after: Position = told !== null && told > from ? told : from;
      const messages: LiveMessage[] = [];
      for (const queue of pending) {
        const count = countThrough(queue, through);
        for (const message of queue.splice(0, count)) if (message.seq > after) messages.push(message);
      }
      messages.sort((a, b) => (a.seq < b.seq ? -1 : 1));
      told = from = through;
      return { after, messages, through };
    },

    waiting: (partition) => pending[partition]?.length ?? 0,
  };
}

function countThrough(queue: readonly LiveMessage[], through: Position): number {
  const first = queue.findIndex(({ seq }) => seq > through);
  return first === -1 ? queue.length : first;
}
