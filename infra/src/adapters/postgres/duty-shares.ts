/** A lock of a process. It shows that the process can run the duty, or that it runs the duty (`isHeld`). */
export interface DutyLock {
  /** The id of the Postgres session of the process. */
  readonly session: number;
  readonly duty: string;
  readonly isHeld: boolean;
}

export interface DutyPlan {
  /**
   * The free duties that this process should try to start. They may exceed its share if no other process starts them.
   */
  readonly take: readonly string[];
  /** The running duties that this process should end, because other processes run too few. */
  readonly giveUp: readonly string[];
  /** False while duties have to move between processes. The next check should then follow soon. */
  readonly isBalanced: boolean;
}

export interface DutyPlanOptions {
  /** The session of this process. */
  readonly session: number;
  /** The duties that this process can run. */
  readonly duties: readonly string[];
  /** The time for which no process has run the duty, as far as this process knows. */
  readonly freeFor_ms: ReadonlyMap<string, number>;
  /** The duties whose last run was in this process, as far as it knows. */
  readonly ranHere?: ReadonlySet<string>;
  /** The running duties that must not move, because their end would discard much work. They count like the others. */
  readonly busy?: ReadonlySet<string>;
}

/** The time for which a free duty is left to the processes that are preferred for it. */
const LEFT_TO_OTHERS_ms = 2_000;

/**
 * Decides which duties a process starts and ends, so that all processes run about the same number of duties.
 *
 * The share of a process is the sum over its duties of 1 / (number of processes that can run the duty), rounded up. If
 * all processes have the same duties, it is ceil(duties / processes). A process of an earlier build announces nothing.
 * It gets no share, and the duties that it runs are in no share.
 *
 * A process starts a free duty at once if it runs fewer duties than its share. If the last run of the duty was in this
 * process, it failed here or was given up to another process. The process then leaves it to the others first. A process
 * starts any other free duty only when the others have left it free for `LEFT_TO_OTHERS_ms`, or if no other process can
 * run it.
 *
 * A process gives up the duties beyond its share while another process runs fewer than its own. Because shares are
 * rounded up, a process can lack several duties although no process has too many. Then some processes give up one.
 */
export function planDuties(
  locks: readonly DutyLock[],
  { session, duties, freeFor_ms, ranHere, busy }: DutyPlanOptions,
): DutyPlan {
  /** For each duty, the processes that can run it. Processes are identified by their sessions. */
  const candidates = groupBy(
    locks.filter(({ isHeld }) => !isHeld),
    (lock) => lock.duty,
    (lock) => lock.session,
  );
  /** For each running duty, the process that runs it. */
  const holders = new Map(locks.filter(({ isHeld }) => isHeld).map((lock) => [lock.duty, lock.session]));
  const processes = [...new Set([...candidates.values()].flatMap((sessions) => [...sessions]))].sort((a, b) => a - b);

  /** The share of the process minus the number of duties that it runs. It is negative if it runs too many. */
  const roomOf = (process: number) => {
    let share = 0;
    for (const [duty, sessions] of candidates) {
      const holder = holders.get(duty);
      // If the process that runs the duty has not announced it, e.g. one of an earlier build, it does not give it up.
      const isAvailable = holder === undefined || sessions.has(holder);
      if (isAvailable && sessions.has(process)) share += 1 / sessions.size;
    }
    const load = [...holders.values()].filter((holder) => holder === process).length;
    // Without the small difference, the sum of several thirds could be rounded up to the next number.
    return Math.ceil(share - 1e-6) - load;
  };
  const room = roomOf(session);

  // Processes that start at the same time begin at different duties, so that they do not try to take the same ones.
  const index = Math.max(0, processes.indexOf(session));
  const offset = Math.floor((index * duties.length) / Math.max(1, processes.length));
  const ordered = [...duties.slice(offset), ...duties.slice(0, offset)];

  const isCandidate = (duty: string) => candidates.get(duty)?.has(session) === true;
  const hasOthers = (duty: string) => [...(candidates.get(duty) ?? [])].some((process) => process !== session);
  const free = ordered.filter((duty) => !holders.has(duty));
  // Free duties that ran here count as part of the share. Otherwise, two processes that each give up a duty at the same
  // time would start each other's duty.
  const possible = free.filter(isCandidate);
  const ownFreeCount = possible.filter((duty) => ranHere?.has(duty)).length;
  const inShare = possible.filter((duty) => !ranHere?.has(duty)).slice(0, Math.max(0, room - ownFreeCount));
  /** The free duties that this process starts because no other process has started or can start them. */
  const toTakeOver = free.filter(
    (duty) => !inShare.includes(duty) && (!hasOthers(duty) || (freeFor_ms.get(duty) ?? 0) >= LEFT_TO_OTHERS_ms),
  );

  /** For each process, by how many duties it runs fewer than its share. */
  const missing = new Map(processes.map((process) => [process, Math.max(0, roomOf(process))]));
  const largestMissing = Math.max(0, ...missing.values());
  // If a process lacks several duties, the first processes with exactly their share give up one duty each. The process
  // then lacks only one, which is as even as possible.
  const rank = processes.filter((process) => roomOf(process) === 0).indexOf(session);
  const surplus = Math.max(-room, rank >= 0 && rank < largestMissing - 1 ? 1 : 0);
  const giveUp: string[] = [];
  for (const duty of [...ordered].reverse()) {
    if (giveUp.length >= surplus) break;
    if (holders.get(duty) !== session || busy?.has(duty)) continue;
    const receiver = [...(candidates.get(duty) ?? [])].find((process) => (missing.get(process) ?? 0) > 0);
    if (receiver === undefined) continue;
    missing.set(receiver, (missing.get(receiver) ?? 0) - 1);
    giveUp.push(duty);
  }
  return {
    take: [...inShare, ...toTakeOver],
    giveUp,
    isBalanced: largestMissing < 2 && processes.every((process) => roomOf(process) >= 0),
  };
}

function groupBy<T, Key, Value>(
  entries: readonly T[],
  keyOf: (entry: T) => Key,
  valueOf: (entry: T) => Value,
): ReadonlyMap<Key, ReadonlySet<Value>> {
  const groups = new Map<Key, Set<Value>>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry)) ?? new Set();
    groups.set(keyOf(entry), group.add(valueOf(entry)));
  }
  return groups;
}
