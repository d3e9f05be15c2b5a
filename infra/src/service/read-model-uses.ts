import type { Pool, PoolClient } from '../adapters/postgres/pool.ts';
import type { ReadModel } from '../read-models/index.ts';

type Version = Pick<ReadModel, 'name' | 'version'>;

/** The interval at which a process records that it uses its versions of read models. */
const RECORD_ms = 60_000;

/**
 * Records now, and then once a minute, that this process runs or reads these versions of read models. Versions that
 * were used recently are not dropped (decision 0071). A failed attempt is ignored, because the next one follows soon.
 * `stop` ends the recording.
 */
export function recordUses(pool: Pool, versions: readonly Version[]): { stop(): Promise<void> } {
  if (versions.length === 0) return { stop: async () => undefined };
  let recording: Promise<unknown> = Promise.resolve();
  const record = () => {
    recording = pool
      .query({
        name: 'read-model-uses-record',
        // All processes write the rows in the same order, which prevents deadlocks.
        text: `insert into ops.read_model_uses (name, version)
               select * from unnest($1::text[], $2::integer[]) order by 1, 2
               on conflict (name, version) do update set used_at = now()`,
        values: [versions.map(({ name }) => name), versions.map(({ version }) => version)],
      })
      .catch(() => undefined);
  };
  record();
  const timer = setInterval(record, RECORD_ms);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await recording;
    },
  };
}

/** Returns true if a process has recorded a use of this version within the last `within_ms`. */
export async function wasUsedRecently(
  client: Pool | PoolClient,
  { name, version }: Version,
  within_ms: number,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from ops.read_model_uses
      where name = $1 and version = $2 and used_at > now() - $3 * interval '1 millisecond'`,
    [name, version, within_ms],
  );
  return rowCount !== 0;
}

/** Deletes the record of uses of a version that is dropped. */
export async function forgetUses(client: PoolClient, { name, version }: Version): Promise<void> {
  await client.query('delete from ops.read_model_uses where name = $1 and version = $2', [name, version]);
}
