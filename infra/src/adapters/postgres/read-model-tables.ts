import type { Position } from '@alpenglow/domain';
import type { Pool, PoolClient } from 'pg';
import { READ_MODELS, type ReadModel } from '../../read-models/index.ts';

/**
 * A version of a read model that is live, i.e. whose tables have been filled once. `storedName` is the name of its
 * checkpoint and of its main table.
 */
export interface LiveVersion {
  readonly storedName: string;
  readonly name: string;
  readonly version: number;
  readonly position: Position;
}

/** The stored name of each read model by its name, for the versions that a process reads. */
type StoredNames = ReadonlyMap<string, string>;

const VERSIONED_NAME = /^(?<name>.+)__v(?<version>\d+)$/u;
const TABLE = /\brm\.(?<table>\w+)/gu;

/** The stored names that the statements of a pool use. A pool without an entry uses the names without a version. */
const namesOfPools = new WeakMap<Pool, StoredNames>();
/** The functions that replace tables in the statements of a pool. A pool without an entry changes no statement. */
const replacementsOfPools = new WeakMap<Pool, (text: string) => string>();

/**
 * Returns the name of a table in a version of its read model that is stored next to another version. Readers use the
 * name without the version. `useStoredTables` replaces it in their statements.
 */
export function versionedName(name: string, version: number): string {
  return `${name}__v${version}`;
}

/** Returns the name of the lock of readers, and of the duty that runs a version of a projection: `name@version`. */
export function readModelVersion({ name, version }: Pick<ReadModel, 'name' | 'version'>): string {
  return `${name}@${version}`;
}

/** Reads the live versions of all read models. The result also contains the checkpoints of other event consumers. */
export async function readLiveVersions(client: Pool | PoolClient): Promise<readonly LiveVersion[]> {
  const { rows } = await client.query<{ storedName: string; version: number; position: Position }>(
    'select name as "storedName", version, position from rm.checkpoints',
  );
  return rows.map((row) => ({ ...row, name: VERSIONED_NAME.exec(row.storedName)?.groups?.['name'] ?? row.storedName }));
}

/**
 * Returns the names of the read models of which a table does not exist yet, in the versions that the statements of
 * `pool` use. By default, checks all read models of this build. The projectors create the tables, which takes minutes
 * for a large store. The check never fails because of a missing table, so it leaves no error in the log of Postgres.
 */
export async function findMissingReadModels(
  pool: Pool,
  names: readonly string[] = READ_MODELS.map(({ name }) => name),
): Promise<readonly string[]> {
  const tables = READ_MODELS.filter(({ name }) => names.includes(name)).flatMap((readModel) =>
    readModel.tables.map((table) => `select '${readModel.name}' as name, to_regclass('rm.${table}') as found`),
  );
  if (tables.length === 0) return [];
  const { rows } = await pool.query<{ name: string }>(
    `select distinct name from (${tables.join(' union all ')}) as tables where found is null order by name`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Returns the name under which the read model `name` is stored in the version that the statements of `pool` use. It is
 * the name of its checkpoint and of its parked events.
 */
export function storedNameOf(pool: Pool, name: string): string {
  return namesOfPools.get(pool)?.get(name) ?? name;
}

/**
 * Returns the name of the read model, or of another consumer of events, that is stored as `storedName`. Returns null if
 * it is a version of a read model that the statements of `pool` do not use.
 */
export function nameOfStored(pool: Pool, storedName: string): string | null {
  const name = VERSIONED_NAME.exec(storedName)?.groups?.['name'] ?? storedName;
  return storedNameOf(pool, name) === storedName ? name : null;
}

/**
 * Makes all statements of `pool` use the tables of the given versions of read models. Statements use the names without
 * a version, e.g. `rm.ad_cards`. A name in quotation marks stays unchanged.
 */
export function useStoredTables(
  pool: Pool,
  used: readonly { readonly readModel: ReadModel; readonly storedName: string }[],
): void {
  const storedNames = new Map<string, string>();
  const storedTables = new Map<string, string>();
  for (const {
    readModel: { name, version, tables },
    storedName,
  } of used) {
    if (storedName === name) continue;
    storedNames.set(name, storedName);
    for (const table of tables) storedTables.set(table, versionedName(table, version));
  }
  namesOfPools.set(pool, storedNames);
  if (storedTables.size === 0) return;
  const replaceTables = (text: string) =>
    text.replaceAll(TABLE, (all, table: string) => {
      const stored = storedTables.get(table);
      return stored === undefined ? all : `rm.${stored}`;
    });
  replacementsOfPools.set(pool, replaceTables);
  const changed = new WeakSet<PoolClient>();
  // A connection may be open already. Each connection is therefore changed when the pool hands it out first.
  pool.on('acquire', (client) => {
    if (changed.has(client)) return;
    changed.add(client);
    const query = client.query.bind(client) as (...args: readonly unknown[]) => unknown;
    client.query = ((statement: unknown, ...args: readonly unknown[]) =>
      query(withTables(statement, replaceTables), ...args)) as typeof client.query;
  });
}

/** Returns the statement with the tables that the statements of `pool` use. It can then run on another server. */
export function withStoredTables<Statement>(pool: Pool, statement: Statement): Statement {
  const replaceTables = replacementsOfPools.get(pool);
  return replaceTables ? withTables(statement, replaceTables) : statement;
}

function withTables<Statement>(statement: Statement, replaceTables: (text: string) => string): Statement {
  if (typeof statement === 'string') return replaceTables(statement) as Statement;
  const { text } = statement as { readonly text?: unknown };
  if (typeof text !== 'string') return statement;
  // A statement may be an object of a class, such as the statement of `copyRows`. The copy must keep its methods.
  const copy = Object.create(Object.getPrototypeOf(statement) as object) as object;
  return Object.assign(copy, statement, { text: replaceTables(text) });
}

/** Returns true if a process reads other versions of these read models. */
export async function haveOtherReaders(pool: Pool, readModels: readonly ReadModel[]): Promise<boolean> {
  const others = (await readLiveVersions(pool)).filter((live) =>
    readModels.some(({ name, version }) => name === live.name && version !== live.version),
  );
  return haveReaders(pool, others);
}

/** Marks the session of `client` as a reader of these versions, until the session ends. */
export async function registerReader(
  client: Pick<PoolClient, 'query'>,
  readModels: readonly ReadModel[],
): Promise<void> {
  await client.query(
    `select pg_advisory_lock_shared(hashtext('alpenglow-reader'), hashtext(version))
       from unnest($1::text[]) as version`,
    [readModels.map(readModelVersion)],
  );
}

/**
 * Returns true if a process reads one of these versions. In a transaction, no process can begin to read a version that
 * has no reader until the transaction ends.
 */
export async function haveReaders(
  client: Pool | PoolClient,
  versions: readonly Pick<ReadModel, 'name' | 'version'>[],
): Promise<boolean> {
  const { rows } = await client.query<{ isFree: boolean }>(
    `select pg_try_advisory_xact_lock(hashtext('alpenglow-reader'), hashtext(version)) as "isFree"
       from unnest($1::text[]) as version`,
    [versions.map(readModelVersion)],
  );
  return rows.some(({ isFree }) => !isFree);
}
