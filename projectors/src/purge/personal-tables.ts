import { comparePositions, type EventStore, type Position } from '@alpenglow/domain';
import { CHECKPOINT_CHANNEL, whileWaiting, type ErasedPerson, type Pool, type PoolClient } from '@alpenglow/infra';
import { lockCheckpoint } from '../checkpoints/checkpoints.ts';
import { parkedEventsNameOf, tableNameOf, type Build, type Projection } from '../projection.ts';
import { inReadModelTransaction } from '../read-model-transaction.ts';
import { readShardMarks } from '../shards/shards.ts';
import { mergeTallies } from '../tallies.ts';
import { purgeOtherBuilds, type TableExtent } from './other-builds.ts';
import type { PersonalRows } from './personal-rows.ts';
import { findDifferentRows, refoldRows, writeRefoldedRows, type RefoldedRows } from './refold.ts';

interface PersonalTableOptions {
  readonly pool: Pool;
  /** Returns decrypted events. The keys of the account are destroyed, so its events have replacement values. */
  readonly store: Pick<EventStore, 'readStream'>;
  readonly person: Pick<ErasedPerson, 'accountId' | 'receiptId'>;
  readonly personal: PersonalRows;
  /** For each projection, the ids of the events that an admin has skipped. */
  readonly skipped: ReadonlyMap<Projection, ReadonlySet<string>>;
  readonly signal: AbortSignal;
}

/** The work on the rows of an account in one set of tables, e.g. the live tables. Runs in one transaction. */
type RowWork = (client: PoolClient, build: Build, refolded: RefoldedRows) => Promise<void>;

/** Creates an object that purges the rows with data of an erased account, and verifies the result. */
export function createPersonalTables({ pool, store, person, personal, skipped, signal }: PersonalTableOptions) {
  const { keys, streams } = personal;
  const keysOf = (projection: Projection) => keys.get(projection) ?? new Set<string>();
  const streamsOf = (projection: Projection) => streams.get(projection) ?? { own: [], others: [] };

  async function refold(
    client: Pool | PoolClient,
    projection: Projection,
    build: Build,
    { position: to, shards }: TableExtent,
    base: { readonly rows: RefoldedRows; readonly parked: ReadonlySet<Position> } | null,
  ) {
    const { rows: found } = await client.query<{ position: Position }>(
      'select position from rm.parked_events where projection = $1',
      [parkedEventsNameOf(projection, build)],
    );
    const parked = new Set(found.map(({ position }) => position));
    // The base cannot be used if the tables are now at an earlier position, or if the parked events have changed.
    const isUsable =
      base !== null &&
      comparePositions(base.rows.position, to) <= 0 &&
      base.parked.size === parked.size &&
      [...parked].every((position) => base.parked.has(position));
    const options = {
      keys: new Map([[projection, keysOf(projection)]]),
      streams: streamsOf(projection),
      excluded: new Map([[projection, { parked, skipped: skipped.get(projection) ?? new Set<string>() }]]),
      from: isUsable ? base.rows : null,
      to,
      shards,
    };
    const refolding = refoldRows(options, store, signal);
    return { rows: await (client === pool ? refolding : whileWaiting(client as PoolClient, refolding)), parked };
  }

  /**
   * Computes the rows of one projection again and runs `work` for each set of its tables. `head` is a position that the
   * live tables have reached. Most events are read before the tables are locked. Returns `later` while a running
   * rebuild has not computed its rows again.
   */
  async function visit(projection: Projection, head: Position, work: RowWork): Promise<'done' | 'later'> {
    const base = await refold(pool, projection, 'live', { position: head, shards: null }, null);
    const run = async (client: PoolClient) => {
      // The checkpoint row is locked before any table. All code that applies events or swaps tables uses the same
      // order, which prevents deadlocks.
      const checkpoint = await lockCheckpoint(client, projection);
      // The projection is being built for the first time.
      if (!checkpoint) return 'later';
      const live = { position: checkpoint.position, shards: await readShardMarks(client, projection) };
      await work(client, 'live', (await refold(client, projection, 'live', live, base)).rows);
      // With shards, the work stores only the changes of the counts. They are added to the counts here.
      await mergeTallies(client, projection);
      const request = { ...person, rowKeys: [...keysOf(projection)], streams: streamsOf(projection) };
      const result = await purgeOtherBuilds(client, projection, request, async (build, extent) =>
        work(client, build, (await refold(client, projection, build, extent, null)).rows),
      );
      await client.query('select pg_notify($1, $2)', [CHECKPOINT_CHANNEL, `${projection.name}:${checkpoint.position}`]);
      return result;
    };
    // The event store records that this step is done. The rows must therefore not return after a crash of Postgres.
    return inReadModelTransaction(pool, run, { isDurable: true });
  }

  return {
    /**
     * Replaces the rows by rows without data of the account. Returns `later` if the first build or a rebuild may still
     * contain such data.
     */
    async purge(head: Position): Promise<'done' | 'later'> {
      let result: 'done' | 'later' = 'done';
      for (const projection of keys.keys()) {
        signal.throwIfAborted();
        const outcome = await visit(projection, head, (client, build, refolded) =>
          writeRefoldedRows({ client, projection, build }, keysOf(projection), refolded),
        );
        if (outcome === 'later') result = 'later';
      }
      return result;
    },
    /**
     * Compares the stored rows with rows that are computed from the events again. Returns the names of the tables in
     * which a row differs, i.e. contains data that the events no longer provide.
     */
    async findRemains(head: Position): Promise<readonly string[]> {
      const tables: string[] = [];
      for (const projection of keys.keys()) {
        signal.throwIfAborted();
        await visit(projection, head, async (client, build, refolded) => {
          const different = await findDifferentRows({ client, projection, build }, keysOf(projection), refolded);
          if (different.length > 0) tables.push(tableNameOf(projection, build));
        });
      }
      return tables;
    },
  };
}
