import type { DomainEvent, Position, RecordedDomainEvent } from '@alpenglow/domain';
import { applyEvent, type Projection, type Row } from '../src/projection.ts';

/** The time of the first event in a test. */
export const STARTED_AT = '2026-01-01T12:00:00.000Z';

/**
 * Applies events to a projection and returns its rows by key. Event n occurs n minutes after `STARTED_AT`, with the
 * revision n and the position n.
 */
export function project(projection: Projection, ...events: readonly DomainEvent[]): Record<string, Row> {
  const rows = new Map<string, Row>();
  for (const [index, event] of events.entries()) {
    const recorded = {
      ...event,
      id: `event-${index}`,
      stream: 'stream',
      revision: index,
      position: String(index).padStart(19, '0') as Position,
      meta: { correlationId: 'c', causationId: null, actor: { kind: 'system', name: 'test' }, at: minutesLater(index) },
    } as RecordedDomainEvent;
    const key = projection.keyOf(recorded);
    if (key === null) continue;
    const row = applyEvent(projection, recorded, rows.get(key) ?? null);
    if (row === null) rows.delete(key);
    else if (row !== undefined) rows.set(key, deepFreeze(row));
  }
  return Object.fromEntries(rows);
}

/** Freezes a value deeply, so that a handler that modifies its input fails. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

/** Returns the time `minutes` after `STARTED_AT`. */
export function minutesLater(minutes: number): string {
  return new Date(Date.parse(STARTED_AT) + minutes * 60_000).toISOString();
}
