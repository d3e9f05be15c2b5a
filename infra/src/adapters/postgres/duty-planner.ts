import type { Client } from 'pg';
import { readDutyLocks } from './duty-locks.ts';
import { planDuties, type DutyPlan } from './duty-shares.ts';

interface PlannedDuties {
  /** Returns the duties that this process can run. */
  readonly ready: () => readonly string[];
  /** The running duties whose end would discard much work. */
  readonly busy: ReadonlySet<string>;
}

/**
 * Creates the planner, which decides which duties this process takes and gives up. Owns the time at which each duty of
 * `names` last ran, as far as this process knows.
 */
export function createDutyPlanner(client: Pick<Client, 'query'>, names: readonly string[]) {
  /**
   * For each duty, the last time at which this process found that any process runs it, and whether this process ran it
   * then. A duty that never ran has the time of the first check.
   */
  const lastRuns = new Map<string, { readonly at_ms: number; readonly wasHere: boolean }>();

  return {
    /** Records that a duty ran here until now. */
    recordOwnRun: (name: string): void => void lastRuns.set(name, { at_ms: performance.now(), wasHere: true }),
    /** Reads the locks of all processes, and returns the plan of this process. */
    async makePlan({ ready, busy }: PlannedDuties): Promise<DutyPlan> {
      const { session, locks } = await readDutyLocks(client, names);
      const now_ms = performance.now();
      for (const name of names) if (!lastRuns.has(name)) lastRuns.set(name, { at_ms: now_ms, wasHere: false });
      for (const { duty, isHeld, session: holder } of locks)
        if (isHeld) lastRuns.set(duty, { at_ms: now_ms, wasHere: holder === session });
      return planDuties(locks, {
        session,
        duties: ready(),
        freeFor_ms: new Map([...lastRuns].map(([name, { at_ms }]) => [name, now_ms - at_ms])),
        ranHere: new Set([...lastRuns].filter(([, { wasHere }]) => wasHere).map(([name]) => name)),
        busy,
      });
    },
  };
}
