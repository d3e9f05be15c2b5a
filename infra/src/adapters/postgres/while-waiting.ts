import type { PoolClient } from 'pg';
import { waitUnlessAborted } from '../../service/polling-and-slots.ts';

/** The interval of the statements that prevent the end of a transaction that waits. */
const CHECK_INTERVAL_ms = 1_000;

/**
 * Returns the result of `work`, and sends a statement every second until then, so that Postgres does not end the
 * transaction of `client` (`LIMIT_SILENCE_IN_TRANSACTION`). `work` must not use `client`.
 */
export async function whileWaiting<T>(client: PoolClient, work: Promise<T>): Promise<T> {
  const finished = new AbortController();
  const sending = sendStatements(client, finished.signal);
  try {
    return await work;
  } finally {
    finished.abort();
    await sending;
  }
}

async function sendStatements(client: PoolClient, signal: AbortSignal): Promise<void> {
  try {
    while (!signal.aborted) {
      await waitUnlessAborted(CHECK_INTERVAL_ms, signal);
      if (!signal.aborted) await client.query('select');
    }
  } catch {
    // The connection is broken, so the next statement of the caller fails, too.
  }
}
