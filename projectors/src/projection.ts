import type { DomainEvent, DomainEventType, RecordedDomainEvent } from '@alpenglow/domain';
import type { Columns, JsonRowOf, ReadModel } from '@alpenglow/infra';

/** A row as Postgres stores and returns it, with JSON values by column name. */
export type Row = Readonly<Record<string, unknown>>;

type Handlers<R extends Row> = {
  /**
   * Returns the row after the event, or null if the event removes the row. The function must be pure, i.e. use neither
   * the clock nor I/O, so that a rebuild creates identical rows.
   */
  readonly [Type in DomainEventType]?: (
    event: RecordedDomainEvent<Extract<DomainEvent, { readonly type: Type }>>,
    row: R | null,
  ) => R | null;
};

/**
 * Declares a table with the columns `key` and `count`, which counts the rows of a projection by key, e.g. the ads by
 * place. The table has no entry for a key without rows. The counts change in the same transaction as the rows.
 */
export interface Tally<R extends Row = Row> {
  readonly name: string;
  /** The columns that `keysOf` reads. If an event changes none of these columns, the counts stay unchanged. */
  readonly columns: readonly (keyof R & string)[];
  /** Returns the keys under which a row is counted, without duplicates. The function must be pure. */
  readonly keysOf: (row: R) => readonly string[];
  /** Returns the SQL statements that create the indexes of `table`, except the index of the primary key. */
  readonly indexes?: (table: string) => readonly string[];
}

/**
 * The projection of a read model, which is one table with one row per key. Each row is computed from the events that
 * have its key.
 */
export interface Projection<R extends Row = Row> {
  readonly name: string;
  readonly version: number;
  /**
   * The name that readers use, if it differs from `name`. If several versions are stored, `resolveProjection` adds the
   * version to `name`, which is the name of the table, of the checkpoint and of parked events.
   */
  readonly readModel?: string;
  /** The Postgres type and constraints of each column, in table order. The first column is the key. */
  readonly columns: Readonly<Record<keyof R & string, string>>;
  /**
   * Returns the SQL statements that create the indexes of `table` after it has been filled. Constraints belong to
   * `columns`, because they must also hold while the table is being filled.
   */
  readonly indexes?: (table: string) => readonly string[];
  /** Returns the key of the row that an event changes, or null if the event changes no row. */
  readonly keyOf: (event: RecordedDomainEvent) => string | null;
  readonly on: Handlers<R>;
  /**
   * The large columns that the handlers of the event types `on` neither read nor change. If a batch changes a row only
   * by events of these types, the row is loaded without these columns, and their values stay unchanged.
   */
  readonly lazyColumns?: { readonly columns: readonly (keyof R & string)[]; readonly on: readonly DomainEventType[] };
  readonly tallies?: readonly Tally<R>[];
  /**
   * True if each row depends on the events of a single stream, e.g. of an ad slot, an account or a thread. The
   * projection can then be split into shards, which handle the streams in parallel.
   */
  readonly isShardable?: boolean;
  /**
   * The number of shards. `withShards` sets it from the configuration. Default: 1, i.e. the projection is not split.
   */
  readonly shards?: number;
  /**
   * True if the rows contain no personal fields of events, e.g. because they only count events. An erasure then changes
   * no row. Default: false.
   */
  readonly ignoresPersonalFields?: boolean;
  /**
   * The columns that only events of other streams change, e.g. how many accounts have marked a post as helpful. An
   * erasure computes the other columns again from the streams with data of the account. The handlers of these events
   * must use no personal fields and change no other column.
   */
  readonly sharedColumns?: readonly (keyof R & string)[];
}

/**
 * The sets of tables that a projection can have. Requests read the `live` tables. The `rebuild` tables are filled in
 * parallel and replace the live tables later. The `previous` tables are the tables that the last swap has replaced.
 */
export type Build = 'live' | 'rebuild' | 'previous';

/**
 * Declares the projection of a read model: `defineProjection(AD_CARDS)({ … })`. The two calls let TypeScript infer the
 * types of the handlers. Raise the version of the read model with every change of its columns or of the handlers. The
 * new version then has separate tables. The processes of both builds run their versions next to each other.
 */
export function defineProjection<M extends ReadModel & { readonly columns: Columns }>(readModel: M) {
  const { name, version, isShardable, columns } = readModel;
  type Declared = 'name' | 'version' | 'isShardable' | 'columns';
  return (projection: Omit<Projection<JsonRowOf<M>>, Declared>): Projection<JsonRowOf<M>> => ({
    name,
    version,
    columns,
    ...(isShardable === true && { isShardable }),
    ...projection,
  });
}

/** Returns the name of a projection that readers, admins and its event stream use. It is the same for all versions. */
export function readModelOf({ name, readModel = name }: Pick<Projection, 'name' | 'readModel'>): string {
  return readModel;
}

/** Returns the name of the key column of a projection's table. Throws if the projection has no columns. */
export function keyColumn(projection: Projection): string {
  const [first] = Object.keys(projection.columns);
  if (first === undefined) throw new Error(`Projection ${projection.name} has no columns`);
  return first;
}

/** Returns the name of the table of a projection or of its counts, with the schema `rm`. */
export function tableNameOf(table: { readonly name: string }, build: Build): string {
  return `rm.${parkedEventsNameOf(table, build)}`;
}

/**
 * Returns the name under which `rm.parked_events` stores the parked events of a projection. The live, rebuilt and
 * previous tables have different names.
 */
export function parkedEventsNameOf({ name }: { readonly name: string }, build: Build): string {
  return build === 'live' ? name : `${name}__${build}`;
}

/**
 * Applies one event to a row and returns the new row. Returns null if the event removes the row, and `undefined` if the
 * projection has no handler for the event.
 */
export function applyEvent<R extends Row>(
  projection: Projection<R>,
  event: RecordedDomainEvent,
  row: R | null,
): R | null | undefined {
  const handler = projection.on[event.type] as ((event: RecordedDomainEvent, row: R | null) => R | null) | undefined;
  return handler?.(event, row);
}
