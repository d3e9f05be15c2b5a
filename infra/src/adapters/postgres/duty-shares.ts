/** A lock of a process, by the id of its session: it can run the duty, or it runs the duty. */
export interface DutyLock {
  readonly session: number;
  readonly duty: string;
  readonly isHeld: boolean;
}

export interface DutyPlan {
  /** The duties that this process should try to start, at most as many as it may run. */
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
  /** The running duties that must not move, because their end would discard much work. They count like the others. */
  readonly busy?: ReadonlySet<string>;
}

/**
 * The time for which a duty must be free before a process with a full share starts it. A process with too few duties,
 * or the only process that can run the duty, does not wait.
 */
const FREE_ms = 2_000;

/**
 * Decides which duties a process starts and ends, so that all processes run about the same number of duties. The share
 * of a process is the sum over its duties of 1 / (number of processes that can run the duty), rounded up. If all
 * processes have the same duties, it is ceil(duties / processes). A process of an earlier build announces nothing. It
 * gets no share, and the duties that it runs are in no share.
 *
 * If only one process can run a duty, it starts the duty even beyond its share. If a duty is free for `FREE_ms`, any
 * process that can run it starts it. If a process lacks two duties and no process has too many, some processes end one.
 */
export function planDuties(
  locks: readonly DutyLock[],
  { session, duties, freeFor_ms, busy }: DutyPlanOptions,
): DutyPlan {
  const candidates = groupBy(
    locks.filter(({ isHeld }) => !isHeld),
    (lock) => lock.duty,
    (lock) => lock.session,
  );
  const holders = new Map(locks.filter(({ isHeld }) => isHeld).map((lock) => [lock.duty, lock.session]));
  const roomOf = (member: number) => {
    let share = 0;
    for (const [duty, members] of candidates) {
      const holder = holders.get(duty);
      // A process that has not announced this duty, e.g. of an earlier build, runs it and does not give it up.
      const isAvailable = holder === undefined || members.has(holder);
      if (isAvailable && members.has(member)) share += 1 / members.size;
    }
    const load = [...holders.values()].filter((holder) => holder === member).length;
    // Without the small difference, the sum of several thirds could be rounded up to the next number.
    return Math.ceil(share - 1e-6) - load;
  };
  const room = roomOf(session);
  // Processes that start at the same time begin at different duties, so that they do not try to take the same ones.
  const members = [...new Set([...candidates.values()].flatMap((sessions) => [...sessions]))].sort((a, b) => a - b);
  const offset = Math.floor((Math.max(0, members.indexOf(session)) * duties.length) / Math.max(1, members.length));
  const ordered = [...duties.slice(offset), ...duties.slice(0, offset)];

  const isCandidate = (duty: string) => candidates.get(duty)?.has(session) === true;
  const hasOthers = (duty: string) => [...(candidates.get(duty) ?? [])].some((member) => member !== session);
  const free = ordered.filter((duty) => !holders.has(duty));
  const take = free.filter(isCandidate).slice(0, Math.max(0, room));
  const late = free.filter(
    (duty) => !take.includes(duty) && (!hasOthers(duty) || (freeFor_ms.get(duty) ?? 0) >= FREE_ms),
  );

  const waiting = new Map(members.map((member) => [member, Math.max(0, roomOf(member))]));
  // If a process lacks at least two duties and no process has a surplus, some processes with a full share end one duty.
  const lacking = Math.max(0, ...waiting.values());
  const rank = members.filter((member) => roomOf(member) === 0).indexOf(session);
  const surplus = Math.max(-room, rank >= 0 && rank < lacking - 1 ? 1 : 0);
  const giveUp: string[] = [];
  for (const duty of [...ordered].reverse()) {
    if (giveUp.length >= surplus) break;
    if (holders.get(duty) !== session || busy?.has(duty)) continue;
    const receiver = [...(candidates.get(duty) ?? [])].find((member) => (waiting.get(member) ?? 0) > 0);
    if (receiver === undefined) continue;
    waiting.set(receiver, (waiting.get(receiver) ?? 0) - 1);
    giveUp.push(duty);
  }
  return {
    take: [...take, ...late],
    giveUp,
    isBalanced: lacking < 2 && members.every((member) => roomOf(member) >= 0),
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
