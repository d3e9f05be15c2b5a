import type { DomainEvent, DomainEventType, Recorded } from '@alpenglow/domain';

/** A row as it goes to and comes from Postgres: column → JSON value. */
export type Row = Readonly<Record<string, unknown>>;

type Handlers<R extends Row> = {
  /** The row after the event; null when there is none any more. Pure: no clock, no I/O, so that a rebuild gives identical rows. */
  readonly [Type in DomainEventType]?: (event: Recorded<Extract<DomainEvent, { readonly type: Type }>>, row: R | null) => R | null;
};

/**
 * A read model: one table, one row per key, each row the fold of the events that have its key.
 * Raise `version` with every change of columns or handlers: the new version is built beside the old one and swapped in.
 */
export interface Projection<R extends Row = Row> {
  readonly name: string;
  readonly version: number;
  /** Column → Postgres type and constraints, in table order. The first is the key. */
  readonly columns: Readonly<Record<keyof R & string, string>>;
  /** SQL that makes the indexes of `table`. */
  readonly indexes: (table: string) => readonly string[];
  /** The key of the row an event touches, or null when it touches none. */
  readonly keyOf: (event: Recorded) => string | null;
  readonly on: Handlers<R>;
}

/** Declares a projection; only here to give the handlers their types. */
export function defineProjection<R extends Row>(projection: Projection<R>): Projection<R> {
  return projection;
}

/** The column that holds the key. */
export function keyColumn(projection: Projection): string {
  const [first] = Object.keys(projection.columns);
  if (first === undefined) throw new Error(`Projection ${projection.name} has no columns`);
  return first;
}

/** The live table of a projection. */
export function liveTable(projection: Pick<Projection, 'name'>): string {
  return `rm.${projection.name}`;
}

/** What one event does to a row: the new row, or `undefined` when this projection does not handle its type. */
export function applyEvent<R extends Row>(projection: Projection<R>, event: Recorded, row: R | null): R | null | undefined {
  const handler = projection.on[event.type] as ((event: Recorded, row: R | null) => R | null) | undefined;
  return handler?.(event, row);
}
