import type { LogMark, Position } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { createContinuationEntry, dayOfEntry, entryHash, toEntryColumns } from '../../audit/moderation-log.ts';
import { readChainHead } from './audit-chain.ts';
import { compareWithLog, type SealedLoss, type EncryptedStore } from './audit-comparison.ts';
import { inTransaction } from './transaction.ts';

/**
 * The audit chain contains events that the event log has lost, and the root hash of a past day contains some of them. A
 * published root must never change, so the chain stops until an administrator decides.
 */
export class SealedDayLost extends Error {
  override readonly name = 'SealedDayLost';
  readonly loss: SealedLoss;
  constructor(loss: SealedLoss) {
    super(
      `The event log has lost ${loss.lostEvents} events of the audit chain, but the root of ${loss.day} contains ` +
        `some of them. The audit chain has stopped.`,
    );
    this.loss = loss;
  }
}

/** Describes that the event log was replaced by an older state, e.g. by a failover or a restore. */
export interface LogRewind {
  /** The number of replacements of the log so far, including this one. */
  readonly incarnation: number;
  /** The number of events in the audit chain that the log has lost. */
  readonly lostEvents: number;
  /** The position of the last event of the audit chain that the log still contains. */
  readonly position: Position;
}

/**
 * Creates the operations after the event log has lost events. They own the tables of lost events, the segments of the
 * chain and `ops.audit_chain_stop`, and add the entry about a continuation to `audit.log_entries`. Invariant: rows of
 * the chain move only if the log has lost their events.
 */
export function createAuditLosses(pool: Pool) {
  return {
    /**
     * Returns the last chained event that the event log still contains, with position `START_POSITION` if there is
     * none. If the chain contains later events, the log has lost them. Their hashes and entries are then moved to the
     * tables of lost events, a new segment of the chain begins, and `rewind` describes what was lost. With `isRewound`,
     * the same happens even if the chain lost nothing. Throws `SealedDayLost` if the root hash of a past day contains a
     * lost event.
     */
    async setLostEventsAside(
      store: EncryptedStore,
      { isRewound }: { readonly isRewound: boolean },
    ): Promise<{ readonly last: LogMark; readonly rewind: LogRewind | null }> {
      const { common, last, lostEvents, lostEntry, sealed } = await compareWithLog(
        pool,
        store,
        await readChainHead(pool),
      );
      if (lostEvents === 0 && !isRewound) return { last, rewind: null };
      if (sealed) throw new SealedDayLost(sealed);
      const { rows } = await pool.query<{ incarnation: string }>('select audit.set_aside($1, $2, $3) as incarnation', [
        common,
        last.position,
        lostEntry,
      ]);
      return { last, rewind: { incarnation: Number(rows[0]?.incarnation), lostEvents, position: last.position } };
    },
    /**
     * Continues a chain that has stopped with `SealedDayLost`, by decision of an operator. Adds an entry to the
     * moderation log with the reason, the last common position and the lost range. The hashes of the lost events move
     * to the table of lost events. Entries and roots do not change, because the roots were published. Returns null
     * without a change if no root contains a lost event.
     */
    continueAfterLoss: (
      store: EncryptedStore,
      reason: string,
      now = new Date().toISOString(),
    ): Promise<{ readonly loss: SealedLoss; readonly entry: number } | null> =>
      continueAfterLoss(pool, store, reason, now),
    /** Stores that the chain has stopped, or with null that it runs. */
    async recordStop(loss: SealedLoss | null): Promise<void> {
      if (!loss) {
        await pool.query('delete from ops.audit_chain_stop');
        return;
      }
      await pool.query(
        `insert into ops.audit_chain_stop (common_position, lost_events, first_lost_entry, day) values ($1, $2, $3, $4)
         on conflict (id) do update
            set common_position = excluded.common_position, lost_events = excluded.lost_events,
                first_lost_entry = excluded.first_lost_entry, day = excluded.day`,
        [loss.position, loss.lostEvents, loss.firstLostEntry, loss.day],
      );
    },
    /** Returns true while the chain is stopped. */
    async isStopped(): Promise<boolean> {
      return (await pool.query('select from ops.audit_chain_stop')).rowCount !== 0;
    },
  };
}

async function continueAfterLoss(
  pool: Pool,
  store: EncryptedStore,
  reason: string,
  now: string,
): Promise<{ readonly loss: SealedLoss; readonly entry: number } | null> {
  const before = await readChainHead(pool);
  const { sealed } = await compareWithLog(pool, store, before);
  const { lastEntry } = before;
  if (!sealed || !lastEntry) return null;
  const bounds = { today: now.slice(0, 10), lastRootDay: before.lastRoot?.day ?? null };
  const day = dayOfEntry({ meta: { at: now } }, lastEntry.day, bounds);
  const facts = {
    reason,
    commonEvents: sealed.commonEvents,
    commonPosition: sealed.position,
    lostEvents: sealed.lostEvents,
    firstLostEntry: sealed.firstLostEntry,
    lastLostEntry: lastEntry.number,
  };
  const entry = createContinuationEntry(facts, { previous: lastEntry, day, at: now });
  const columns = toEntryColumns(entry);
  await inTransaction(pool, async (client) => {
    // No entry is removed, so the first number to remove is behind the last entry.
    await client.query('select audit.set_aside($1, $2, $3)', [
      sealed.commonEvents,
      sealed.position,
      lastEntry.number + 1,
    ]);
    await client.query(
      `insert into audit.log_entries (number, event_id, day, type, actor_id, entry, hash)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        columns.number,
        columns.eventId,
        columns.day,
        columns.type,
        columns.actorId,
        columns.entry,
        entryHash(lastEntry.hash, entry),
      ],
    );
    await client.query('delete from ops.audit_chain_stop');
  });
  return { loss: sealed, entry: entry.number };
}
