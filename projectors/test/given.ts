import type { DomainEvent, Position, Recorded } from '@alpenglow/domain';
import { applyEvent, type Projection, type Row } from '../src/projection.ts';

export const AT = '2026-01-01T12:00:00.000Z';

/** Folds events into the rows a projection would hold, by key. Event n happens n minutes after noon and has revision and position n. */
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
    } as Recorded;
    const key = projection.keyOf(recorded);
    if (key === null) continue;
    const row = applyEvent(projection, recorded, rows.get(key) ?? null);
    if (row === null) rows.delete(key);
    else if (row !== undefined) rows.set(key, frozen(row));
  }
  return Object.fromEntries(rows);
}

/** The value, so that a handler that writes into what it is given fails. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

export function minutesLater(minutes: number): string {
  return new Date(Date.parse(AT) + minutes * 60_000).toISOString();
}
