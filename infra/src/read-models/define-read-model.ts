declare const VALUE: unique symbol;

/** A text that stands for values of the type `T`: the SQL type of a column, or a list of columns. */
type Typed<T> = string & { readonly [VALUE]: T };

/** The Postgres type and constraints of each column, in table order. The first column is the key. */
export type Columns = Readonly<Record<string, string>>;

/** The type of a column with this SQL type. `Time` is the type of times. */
type ValueOf<Sql extends string, Time> =
  Sql extends Typed<infer T>
    ? T
    :
        | (Sql extends `integer${string}` | `double precision${string}`
            ? number
            : Sql extends `boolean${string}`
              ? boolean
              : Sql extends `jsonb${string}`
                ? unknown
                : Sql extends `timestamptz${string}`
                  ? Time
                  : string)
        | (Sql extends `${string} not null${string}` | `${string} primary key` ? never : null);

interface HasColumns {
  readonly columns: Columns;
}

/** The row of a read model as a statement of a reader returns it. */
export type RowOf<M extends HasColumns> = { readonly [Name in keyof M['columns']]: ValueOf<M['columns'][Name], Date> };

/** The row of a read model as JSON, which a projection handles. Times are in ISO 8601 format. */
export type JsonRowOf<M extends HasColumns> = {
  readonly [Name in keyof M['columns']]: ValueOf<M['columns'][Name], string>;
};

/** The row that a statement returns for a list of columns, which `select` has created. */
export type SelectedRow<List extends string> = List extends Typed<infer Row> ? Row : never;

/** The row of a left join, in which every column may be null. */
export type Nullable<Row> = { readonly [Name in keyof Row]: Row[Name] | null };

/** The SQL type of the key column, whose values have the more exact TypeScript type `T`. */
export const key = <T>(type: string) => `${type} primary key` as Typed<T>;

/** The SQL type of a column that is never null, whose values have the more exact TypeScript type `T`. */
export const required = <T>(type: string) => `${type} not null` as Typed<T>;

/** The SQL type of a column that may be null, whose other values have the more exact TypeScript type `T`. */
export const optional = <T>(type: string) => type as Typed<T | null>;

/** A read model in the version that a build reads and writes. */
export interface ReadModel {
  readonly name: string;
  readonly version: number;
  /** The names of all its tables, as SQL statements use them with the schema `rm`. */
  readonly tables: readonly string[];
  /** True if the projection of the read model can be split into shards (decision 0077). Default: false. */
  readonly isShardable?: boolean;
}

/** A table that counts the rows of a read model by key. It has the columns `key` and `count`. */
export interface TallyTable {
  readonly name: string;
  /** The name with the schema, as SQL statements use it. */
  readonly table: string;
}

interface Declaration extends Omit<ReadModel, 'tables'> {
  readonly tallies?: readonly TallyTable[];
}

/** Declares the table of a tally. The projection of its read model defines what is counted. */
export function defineTally(name: string): TallyTable {
  return { name, table: `rm.${name}` };
}

/**
 * Declares a read model: `defineReadModel({ name, version })({ …columns })`. Its projection and its readers refer to
 * this declaration. The second call lets TypeScript infer the columns. Raise the version with every change of the
 * columns or of the handlers. `table` is the table with its schema. `select` returns a list of columns for SQL, with
 * the given alias, and `SelectedRow` is the type of its rows.
 */
export function defineReadModel({ tallies = [], ...declared }: Declaration) {
  return <const C extends Columns>(columns: C) => ({
    ...declared,
    columns,
    tables: [declared.name, ...tallies.map(({ name }) => name)],
    table: `rm.${declared.name}`,
    select: <Name extends keyof C & string>(names: readonly Name[], alias?: string) =>
      names.map((name) => (alias === undefined ? name : `${alias}.${name}`)).join(', ') as Typed<
        Pick<RowOf<{ readonly columns: C }>, Name>
      >,
  });
}
