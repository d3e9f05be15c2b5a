import { comparePositions, type EventStore } from '@alpenglow/domain';
import { waitUnlessAborted, type AuditLog } from '@alpenglow/infra';

/**
 * The name of the duty, a background task of one process, that writes the audit chain. The audit chain is a chain of
 * the hashes of all events.
 */
export const AUDIT_CHAIN_DUTY = 'audit-chain';

const SEAL_EVERY_ms = 60_000;
const POLL_ms = 500;
/**
 * The time after midnight (UTC) at which the root hash of the previous day is stored. The event log then contains all
 * events of that day.
 */
const AFTER_MIDNIGHT_ms = 10 * 60_000;

/**
 * Adds the hashes of all events to the audit chain and writes the moderation log, until `signal` aborts. About ten
 * minutes after the end of a day, the function seals the day by storing its root hash. `store` must return events as
 * they are stored, with encrypted personal data. Rejects if the database or the store fails, or if another process
 * writes the log. The duty is then started again.
 */
export async function runAuditChain(
  { store, log }: { readonly store: EventStore; readonly log: AuditLog },
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  const endBoth = (error: unknown) => {
    failed.abort();
    throw error;
  };
  await Promise.all([sealDays(store, log, ended).catch(endBoth), chainEvents(store, log, ended).catch(endBoth)]);
}

async function chainEvents(store: EventStore, log: AuditLog, signal: AbortSignal): Promise<void> {
  let head = await log.head();
  for await (const batch of store.subscribeAll({ after: head.position, signal })) {
    if (batch.length === 0) continue;
    const day = head.lastEntry?.day;
    head = await log.append(head, batch);
    // The entries of the audit chain are in the order of their days. When the first entry of a new day arrives, all
    // earlier days are complete.
    if (head.lastEntry && day !== undefined && head.lastEntry.day > day) await log.sealDaysBefore(head.lastEntry.day);
  }
}

async function sealDays(store: EventStore, log: AuditLog, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const today = new Date(Date.now() - AFTER_MIDNIGHT_ms).toISOString().slice(0, 10);
    const head = await store.readHead();
    // The root hash of a day is stored only after the audit chain contains all events up to `head`, because some of
    // them may belong to that day.
    while (!signal.aborted && comparePositions((await log.head()).position, head) < 0)
      await waitUnlessAborted(POLL_ms, signal);
    if (!signal.aborted) await log.sealDaysBefore(today);
    await waitUnlessAborted(SEAL_EVERY_ms, signal);
  }
}
