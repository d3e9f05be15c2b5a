import type { Client } from 'pg';
import { announce, withdraw } from './duty-locks.ts';

/**
 * The time for which a process does not announce a duty that failed in it, so that the duty does not return to it. The
 * time is limited, because the cause may have been temporary.
 */
const NOT_ANNOUNCED_ms = 60_000;

/**
 * Owns which duties this process has announced over one connection, and which of them have failed in it. Other
 * processes read the announcements to share the duties.
 */
export function createDutyAnnouncements(client: Pick<Client, 'query'>) {
  const announced = new Set<string>();
  /** The times at which duties ended by themselves here. Such a duty is not announced for NOT_ANNOUNCED_ms. */
  const failedAt_ms = new Map<string, number>();

  const hasFailedLately = (name: string) => performance.now() - (failedAt_ms.get(name) ?? -Infinity) < NOT_ANNOUNCED_ms;

  async function announceOnce(names: readonly string[]): Promise<void> {
    const added = names.filter((name) => !announced.has(name));
    await announce(client, added);
    for (const name of added) announced.add(name);
  }

  return {
    /** Announces duties that this process can run, except those that have failed lately. */
    announceOpen: (names: readonly string[]): Promise<void> =>
      announceOnce(names.filter((name) => !hasFailedLately(name))),
    /** Announces duties whose locks this process has taken. They no longer count as failed. */
    async announceTaken(names: ReadonlySet<string>): Promise<void> {
      await announceOnce([...names]);
      for (const name of names) failedAt_ms.delete(name);
    },
    /** Ends the announcement of a duty that has failed. */
    async withdrawFailed(name: string): Promise<void> {
      await withdraw(client, name);
      announced.delete(name);
      failedAt_ms.set(name, performance.now());
    },
  };
}
