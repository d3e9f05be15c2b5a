import { setTimeout as pause } from 'node:timers/promises';
import { comparePositions, type EventStore } from '@alpenglow/domain';
import type { AuditLog } from '@alpenglow/infra';

/** The name of the duty. */
export const AUDIT_CHAIN = 'audit-chain';

const SEAL_EVERY_ms = 60_000;
const LOOK_EVERY_ms = 500;
/** What was appended around midnight has come by then. */
const AFTER_MIDNIGHT_ms = 10 * 60_000;

/**
 * Chains the hashes of all events and writes the moderation log, until `signal` aborts; seals each day's root some minutes after it is over.
 * `store` hands events out as they are kept, sealed. Rejects when the database or the store fails, or another process is at it, and is then
 * run again by its leader.
 */
export async function runAuditChain(
  {
    store,
    log,
    now_ms = Date.now,
  }: { readonly store: EventStore; readonly log: AuditLog; readonly now_ms?: () => number },
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  const sealing = sealDays(store, log, now_ms, ended).catch((error: unknown) => {
    failed.abort();
    throw error;
  });
  const chaining = chain(store, log, ended).catch((error: unknown) => {
    failed.abort();
    throw error;
  });
  await Promise.all([sealing, chaining]);
}

async function chain(store: EventStore, log: AuditLog, signal: AbortSignal): Promise<void> {
  let head = await log.head();
  for await (const batch of store.subscribeAll({ after: head.position, signal })) {
    if (batch.length === 0) continue;
    const day = head.lastEntry?.day;
    head = await log.append(head, batch);
    // Entries are in the order of their days: where one of a later day stands, those before it are whole.
    if (head.lastEntry && day !== undefined && head.lastEntry.day > day) await log.sealDaysBefore(head.lastEntry.day);
  }
}

async function sealDays(store: EventStore, log: AuditLog, now_ms: () => number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const today = new Date(now_ms() - AFTER_MIDNIGHT_ms).toISOString().slice(0, 10);
    const head = await store.head();
    // A day is whole only once all that had happened by now is in the log.
    while (!signal.aborted && comparePositions((await log.head()).position, head) < 0)
      await wait(LOOK_EVERY_ms, signal);
    if (!signal.aborted) await log.sealDaysBefore(today);
    await wait(SEAL_EVERY_ms, signal);
  }
}

async function wait(time_ms: number, signal: AbortSignal): Promise<void> {
  await pause(time_ms, undefined, { signal }).catch(() => undefined);
}
