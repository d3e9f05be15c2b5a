import type { CallKind } from './history.ts';

/** Returns true if a call of this kind may be sent now, and then counts it as sent. */
export type Pace = (kind: CallKind) => boolean;

/**
 * Creates a limit for the calls that cost much processor time, so that they do not displace the others on a fast
 * machine. `intervals_ms` has the minimum time between two calls of a kind. Other kinds are not limited.
 */
export function createPace(
  intervals_ms: Partial<Readonly<Record<CallKind, number>>>,
  now: () => number = () => performance.now(),
): Pace {
  const next = new Map<CallKind, number>();
  return (kind) => {
    const at_ms = now();
    if (at_ms < (next.get(kind) ?? 0)) return false;
    next.set(kind, at_ms + (intervals_ms[kind] ?? 0));
    return true;
  };
}
