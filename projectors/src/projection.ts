import type { DomainEvent, DomainEventType, Recorded } from '@alpenglow/domain';

/** A row as it goes to and comes from Postgres: column → JSON value. */
export type Row = Readonly<Record<string, unknown>>;

type Handlers<R extends Row> = {
  /** The row after the event; null when there is none any more. Pure: no clock, no I/O, so that a rebuild gives identical rows. */
  readonly [Type in DomainEventType]?: (
    event: Recorded<Extract<DomainEvent, { readonly type: Type }>>,
    row: R | null,
  ) => R | null;
};

/**
 * How many rows of a projection have a key, in a table of its own beside the projection's: (`key`, `count`), without keys no row has.
 * It changes in the same transaction as the rows.
 */
export interface Tally<R extends Row = Row> {
  readonly name: string;
  /** What the keys are made of: a row that keeps these keeps its keys. */
  readonly columns: readonly (keyof R & string)[];
  /** The different keys of a row. Pure. */
  readonly keysOf: (row: R) => readonly string[];
  /** SQL that makes the indexes of `table`, beyond that of its key. */
  readonly indexes: (table: string) => readonly string[];
}

/**
 * A read model: one table, one row per key, each row the fold of the events that have its key.
 * Raise `version` with every change of columns or handlers: the new version is built beside the old one and swapped in.
 */
export interface Projection<R extends Row = Row> {
  readonly name: string;
  readonly version: number;
  /** Column → Postgres type and constraints, in table order. The first is the key. */
  readonly columns: Readonly<Record<keyof R & string, string>>;
  /** SQL that makes the indexes of `table`, once it is filled: what a row must not break is a constraint of its column. */
  readonly indexes: (table: string) => readonly string[];
  /** The key of the row an event touches, or null when it touches none. */
  readonly keyOf: (event: Recorded) => string | null;
  readonly on: Handlers<R>;
  /** Large columns that some events neither read nor change: a row that only those touch is folded without, and they stay as they are. */
  readonly leaves?: { readonly columns: readonly (keyof R & string)[]; readonly on: readonly DomainEventType[] };
  readonly tallies?: readonly Tally<R>[];
}

/** Which of a projection's tables are meant: those that are read, those being built beside them, or those a swap has put aside. */
export type Build = 'live' | 'rebuild' | 'previous';

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

/** The table of a projection or of a tally. */
export function tableOf({ name }: { readonly name: string }, build: Build): string {
  return `rm.${named(name, build)}`;
}

/** The name under which events are kept that could not be handled in a projection's tables. */
export function parkedNameOf({ name }: { readonly name: string }, build: Build): string {
  return named(name, build);
}

function named(name: string, build: Build): string {
  return build === 'live' ? name : `${name}__${build}`;
}

/** What one event does to a row: the new row, or `undefined` when this projection does not handle its type. */
export function applyEvent<R extends Row>(
  projection: Projection<R>,
  event: Recorded,
  row: R | null,
): R | null | undefined {
  const handler = projection.on[event.type] as ((event: Recorded, row: R | null) => R | null) | undefined;
  return handler?.(event, row);
}
