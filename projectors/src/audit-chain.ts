import { comparePositions, LogRewound, type EventStore } from '@alpenglow/domain';
import { SealedDayLost, waitUnlessAborted, type AuditLog, type LogRewind } from '@alpenglow/infra';

/**
 * The name of the duty, a background task of one process, that writes the audit chain. The audit chain is a chain of
 * the hashes of all events.
 */
export const AUDIT_CHAIN_DUTY = 'audit-chain';

const SEAL_EVERY_ms = 60_000;
const POLL_ms = 500;
const RESTART_ms = 50;
/**
 * The time after midnight (UTC) at which the root hash of the previous day is stored. The event log then contains all
 * events of that day.
 */
const AFTER_MIDNIGHT_ms = 10 * 60_000;

export interface AuditChainDependencies {
  readonly store: EventStore;
  readonly log: AuditLog;
  /** Called after the event log was replaced by an older state. */
  readonly onRewound?: (rewind: LogRewind) => void;
}

/**
 * Adds the hashes of all events to the audit chain and writes the moderation log, until `signal` aborts. About ten
 * minutes after the end of a day, the function seals the day by storing its root hash. `store` must return events as
 * they are stored, with encrypted personal data. If the event log was replaced by an older state, moves the hashes of
 * the lost events to other tables, calls `onRewound` and continues. Rejects if the database or the store fails, or if
 * another process writes the log. The duty is then started again. Rejects with `SealedDayLost` if a stored root hash
 * contains a lost event. The chain is then stopped: every start of the duty fails in the same way, until an operator
 * continues the chain with `npm run audit -- continue`, or the log contains the events again.
 */
export async function runAuditChain(
  { store, log, onRewound = () => undefined }: AuditChainDependencies,
  signal: AbortSignal,
): Promise<void> {
  const { rewind } = await setLostEventsAsideOrStop(store, log, false);
  if (rewind) onRewound(rewind);
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  const endBoth = (error: unknown) => {
    failed.abort();
    throw error;
  };
  await Promise.all([
    sealDays(store, log, ended).catch(endBoth),
    chainEvents({ store, log, onRewound }, ended).catch(endBoth),
  ]);
}

/**
 * Moves the hashes and entries of lost events aside, and returns the last event that the chain and the log have in
 * common. Stores whether the chain is stopped, so that operators can find out.
 */
async function setLostEventsAsideOrStop(store: EventStore, log: AuditLog, isRewound: boolean) {
  try {
    const found = await log.setLostEventsAside(store, { isRewound });
    await log.recordStop(null);
    return found;
  } catch (error) {
    if (error instanceof SealedDayLost) await log.recordStop(error.loss);
    throw error;
  }
}

async function chainEvents(
  { store, log, onRewound }: Required<AuditChainDependencies>,
  signal: AbortSignal,
): Promise<void> {
  for (let isRewound = false; !signal.aborted; isRewound = true) {
    const { last, rewind } = await setLostEventsAsideOrStop(store, log, isRewound);
    if (rewind) onRewound(rewind);
    let head = await log.head();
    try {
      for await (const batch of store.subscribeAll({ after: last.position, afterId: last.id, signal })) {
        const day = head.lastEntry?.day;
        head = await log.append(head, batch);
        // The entries of the audit chain are in the order of their days. When the first entry of a new day arrives, all
        // earlier days are complete.
        if (head.lastEntry && day !== undefined && head.lastEntry.day > day)
          await log.sealDaysBefore(head.lastEntry.day);
      }
    } catch (error) {
      if (!(error instanceof LogRewound)) throw error;
      await waitUnlessAborted(RESTART_ms, signal);
    }
  }
}

async function sealDays(store: EventStore, log: AuditLog, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const today = new Date(Date.now() - AFTER_MIDNIGHT_ms).toISOString().slice(0, 10);
    const atStart = await store.readHead();
    // The root hash of a day is stored only after the audit chain contains all events up to this position, because some
    // of them may belong to that day. If the log was replaced by an older state, its end is before this position.
    const isBehind = async () => {
      const [{ position }, end] = await Promise.all([log.head(), store.readHead()]);
      return comparePositions(position, atStart) < 0 && comparePositions(position, end) < 0;
    };
    while (!signal.aborted && (await isBehind())) await waitUnlessAborted(POLL_ms, signal);
    if (!signal.aborted) await log.sealDaysBefore(today);
    await waitUnlessAborted(SEAL_EVERY_ms, signal);
  }
}
