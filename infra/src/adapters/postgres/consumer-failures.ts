import type { Pool } from 'pg';
import { READ_MODELS } from '../../read-models/index.ts';

/** A consumer of events that makes no progress, because it has failed for at least a minute. */
export interface FailingConsumer {
  /** The name of the read model, or of another consumer, e.g. `audit-chain`. */
  readonly name: string;
  readonly isReadModel: boolean;
  /** The time of the first failure. */
  readonly since: Date;
  /** The reason of the last failure, for admins. It contains no personal data. */
  readonly cause: string;
}

/** A consumer counts as failing if at least this time is between its first and its last failure. */
const FAILING_AFTER = '1 minute';
/**
 * Failures count until the last one is older than this. A consumer that still fails has newer ones, and the failures of
 * a consumer that no process runs any more are not removed in any other way.
 */
const FORGET_AFTER = '5 minutes';
const MAX_CAUSE_characters = 300;
/** The condition for a row `f` whose failures no longer count. */
const IS_OLD = `f.last_at < now() - interval '${FORGET_AFTER}'`;

/** Matches the name of the duty of a projection: `name@version`, with `#index` for a shard. */
const DUTY_OF_PROJECTION = /^(?<readModel>\w+)@(?<version>\d+)(?:#\d+)?$/u;
/** The versions of read models with shards are larger by a multiple of this number. */
const VERSIONS = 1_000;

/** Creates the access to the failures of consumers, which all processes share (decision 0114). */
export function createConsumerFailures(pool: Pool) {
  return {
    /** Stores a failure of the duty `name`. `cause` must contain no personal data. */
    async record(name: string, cause: string): Promise<void> {
      await pool.query({
        name: 'consumer-failure',
        text: `insert into ops.consumer_failures as f (name, cause) values ($1, $2)
               on conflict (name) do update
                  set since = case when ${IS_OLD} then now() else f.since end,
                      failures = case when ${IS_OLD} then 1 else f.failures + 1 end,
                      last_at = now(), cause = excluded.cause`,
        values: [name, cause.slice(0, MAX_CAUSE_characters)],
      });
    },
    /** Deletes the failures of duties that run again. */
    async clear(names: readonly string[]): Promise<void> {
      await pool.query('delete from ops.consumer_failures where name = any($1)', [names]);
    },
  };
}

/**
 * Returns the consumers that have failed for at least a minute, by name. The versions of read models that this build
 * does not read are omitted. Of a projection with several shards, the shard that has failed for the longest time is
 * returned.
 */
export async function findFailingConsumers(pool: Pool): Promise<readonly FailingConsumer[]> {
  const { rows } = await pool.query<{ duty: string; since: Date; cause: string }>({
    name: 'consumers-failing',
    text: `select name as duty, since, cause from ops.consumer_failures
            where last_at - since >= interval '${FAILING_AFTER}' and last_at > now() - interval '${FORGET_AFTER}'
            order by since, name`,
  });
  const found = new Map<string, FailingConsumer>();
  for (const { duty, since, cause } of rows) {
    const consumer = consumerOf(duty);
    if (consumer !== null && !found.has(consumer.name)) found.set(consumer.name, { ...consumer, since, cause });
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the names of these consumers, for `/readyz`. */
export async function namesOfFailingConsumers(pool: Pool): Promise<readonly string[]> {
  return (await findFailingConsumers(pool)).map(({ name }) => name);
}

/** Returns the consumer that a duty runs. Returns null for a version of a read model that this build does not read. */
function consumerOf(duty: string): Pick<FailingConsumer, 'name' | 'isReadModel'> | null {
  const { readModel, version } = DUTY_OF_PROJECTION.exec(duty)?.groups ?? {};
  if (readModel === undefined) return { name: duty, isReadModel: false };
  const isRead = READ_MODELS.some(({ name, version: own }) => name === readModel && own === Number(version) % VERSIONS);
  return isRead ? { name: readModel, isReadModel: true } : null;
}
