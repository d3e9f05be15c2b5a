import type { Position } from '@alpenglow/domain';
import type { Pool } from 'pg';

/**
 * A segment of the audit chain after the first one. It begins when the event log was replaced by an older state, and
 * names the segment before it by the hash of its last event, which the log may have lost (decision 0115).
 */
export interface ChainSegment {
  /** 2 for the first of these segments. */
  readonly number: number;
  /** The number of its first event in the chain. */
  readonly first: number;
  /** The number of the last event of the segment before, and its hash. */
  readonly previousLast: number;
  readonly previousHash: Buffer;
  /** The first event is chained to this hash and to the event before it. It is derived from `previousHash`. */
  readonly startHash: Buffer;
  /** The time at which the replacement of the log was noticed. */
  readonly detectedAt: Date;
  /** The last event that the logs before and after the replacement have in common, and the number of lost events. */
  readonly commonPosition: Position;
  readonly lostEvents: number;
  /** The stored hash of the last lost event. Null if no event was lost. */
  readonly lastLostHash: Buffer | null;
  /**
   * True if the hashes of all events were computed again since, because a move to another event store or a restore has
   * changed their positions. `previousHash` is then no hash of an event that is in the chain now.
   */
  readonly isBeforeMove: boolean;
  /** False if a later segment begins at the same event or earlier, so that the chain has no event of this segment. */
  readonly isCurrent: boolean;
}

/** The condition for the segments `s` that a later segment has not replaced. */
const IS_CURRENT = `not exists (
  select from audit.chain_segments t where t.number > s.number and t.first <= s.first)`;

/** Creates the reads of the segments of the audit chain. The function `audit.set_aside` adds them. */
export function createAuditSegments(pool: Pool) {
  return {
    /** Returns all segments after the first one, in order. */
    async readSegments(): Promise<readonly ChainSegment[]> {
      const { rows } = await pool.query<
        Omit<ChainSegment, 'number' | 'first' | 'previousLast' | 'lostEvents'> & {
          readonly number: string;
          readonly first: string;
          readonly previousLast: string;
          readonly lostEvents: string;
        }
      >(
        `select s.number, s.first, s.previous_last as "previousLast", s.previous_hash as "previousHash",
                s.start_hash as "startHash", r.detected_at as "detectedAt", r.common_position as "commonPosition",
                r.lost_events as "lostEvents", ${IS_CURRENT} as "isCurrent",
                exists (select from audit.chain_starts c where c.segments >= s.number) as "isBeforeMove",
                (select substring(l.hashes from octet_length(l.hashes) - 31) from audit.lost_event_hashes l
                  where l.incarnation = s.incarnation order by l.first desc limit 1) as "lastLostHash"
           from audit.chain_segments s join audit.log_rewinds r using (incarnation)
          order by s.number`,
      );
      return rows.map((row) => ({
        ...row,
        number: Number(row.number),
        first: Number(row.first),
        previousLast: Number(row.previousLast),
        lostEvents: Number(row.lostEvents),
      }));
    },
  };
}

/**
 * Returns the start hashes of the segments whose first events have numbers from `from` on, by this number. Omits
 * segments that a later one has replaced.
 */
export async function readSegmentStarts(pool: Pool, from: number): Promise<ReadonlyMap<number, Buffer>> {
  const { rows } = await pool.query<{ first: string; startHash: Buffer }>({
    name: 'audit-segment-starts',
    text: `select first, start_hash as "startHash" from audit.chain_segments s
            where first >= $1 and ${IS_CURRENT}`,
    values: [from],
  });
  return new Map(rows.map(({ first, startHash }) => [Number(first), startHash]));
}
