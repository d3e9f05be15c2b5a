import type { FeedMessage, LiveBatch, LogMark, Position } from '@alpenglow/domain';

/**
 * A record of a Kafka partition. The partition contains no other message between the positions `after` and `position`
 * of the event log.
 */
export interface LiveRecord {
  readonly after: Position;
  readonly position: Position;
  /** Null for a watermark, which is a record that only reports the progress of its partition. */
  readonly message: FeedMessage | null;
  /** The id of the event at `position`. Null if it is unknown. */
  readonly id?: string | null;
  /** The run of the relay that wrote the record. Null for a record of an earlier build. */
  readonly run?: string | null;
}

/** Merges the messages of all Kafka partitions into the order of the event log. */
export type PartitionMerge = ReturnType<typeof createPartitionMerge>;

/**
 * Creates a merge of live messages from all Kafka partitions. It delivers messages up to the position in the event log
 * that all partitions have reached. Records may arrive repeatedly, so a record at or below the position of its
 * partition is dropped. If `after` of a record is beyond the position of its partition, records are missing, and
 * delivery starts again after the gap. Messages at or before `deliveredBefore` are not delivered again. All records
 * must be from the same state of the event log.
 */
export function createPartitionMerge(partitions: number, deliveredBefore: Position | null = null) {
  const reached: (LogMark | null)[] = Array.from({ length: partitions }, () => null);
  const pending: FeedMessage[][] = Array.from({ length: partitions }, () => []);
  /** The position after which no message is missing in any partition. Null before the first record. */
  let from: Position | null = null;
  let delivered = deliveredBefore;

  function lowestReached(): LogMark | null {
    let lowest: LogMark | null = null;
    for (const mark of reached) {
      if (mark === null) return null;
      if (lowest === null || mark.position < lowest.position) lowest = mark;
    }
    return lowest;
  }

  return {
    add(partition: number, { after, position, message, id = null }: LiveRecord): void {
      const previous = reached[partition];
      if (previous === undefined) throw new RangeError(`Partition ${partition} is not one of ${partitions}`);
      if (previous === null || after > previous.position) {
        if (from === null || after > from) from = after;
        reached[partition] = { position: after, id: after === position ? id : null };
      } else if (position <= previous.position) return;
      if (message !== null) pending[partition]?.push(message);
      if (position > after) reached[partition] = { position, id };
    },

    /**
     * Returns the messages that can be delivered now, or null if the lowest position has not advanced since the last
     * call.
     */
    takeBatch(): LiveBatch | null {
      const lowest = lowestReached();
      if (lowest === null || from === null) return null;
      const { position: through, id: throughId } = lowest;
      if (through < from || (delivered !== null && through <= delivered)) return null;
      const after: Position = delivered !== null && delivered > from ? delivered : from;
      const messages: FeedMessage[] = [];
      for (const queue of pending) {
        const count = countThrough(queue, through);
        for (const message of queue.splice(0, count)) if (message.seq > after) messages.push(message);
      }
      messages.sort((a, b) => (a.seq < b.seq ? -1 : 1));
      delivered = from = through;
      return { after, messages, through, throughId };
    },

    /** Returns the number of messages of a partition that wait for the other partitions. */
    waitingCount: (partition: number): number => pending[partition]?.length ?? 0,
  };
}

function countThrough(queue: readonly FeedMessage[], through: Position): number {
  const first = queue.findIndex(({ seq }) => seq > through);
  return first === -1 ? queue.length : first;
}
