import { waitUnlessAborted } from '../../service/polling-and-slots.ts';

/**
 * The time before the second read. In this time, a cluster can elect another leader, and a node that is behind can
 * receive the missing events.
 */
const CONFIRM_AFTER_ms = 2_000;

export interface ConfirmOptions {
  /** Ends the wait early. The second read is then made at once. */
  readonly signal: AbortSignal;
  readonly confirmAfter_ms?: number;
}

/**
 * Returns the id of the event at a position, which `find` reads. If there is no event, or another one than `expected`,
 * the function waits 2 s and reads again, and only the second result counts. A node of a cluster may be behind for a
 * moment, for example while the leader changes, and a reader that trusts such a node would rewind without a reason. If
 * `expected` is null, every event at the position is accepted. Rejects if a read fails.
 */
export async function findConfirmed(
  find: () => Promise<string | null>,
  expected: string | null,
  { signal, confirmAfter_ms = CONFIRM_AFTER_ms }: ConfirmOptions,
): Promise<string | null> {
  const found = await find();
  if (found !== null && found === (expected ?? found)) return found;
  await waitUnlessAborted(confirmAfter_ms, signal);
  return find();
}
