import { createLogger, createPool, createPostgresEventStore, runDuties } from '@alpenglow/infra';
import { dutyNamesOf, PROJECTIONS, runProjection, withShards } from '@alpenglow/projectors';

/** Input of a test process that runs all shards of one projection that no other process runs, until it is killed. */
export interface ShardPlan {
  readonly connectionString: string;
  readonly projection: string;
  readonly shards: number;
}

const { connectionString, projection: name, shards } = JSON.parse(process.argv[2] ?? '') as ShardPlan;
const pool = createPool({ connectionString, max: 2 * shards + 2, applicationName: 'shard-runner' });
const store = createPostgresEventStore({ pool, connectionString });
const projections = withShards(
  PROJECTIONS.filter((projection) => projection.name === name),
  new Map([[name, shards]]),
);
const log = createLogger('silent');
runDuties(
  connectionString,
  projections.flatMap((projection) =>
    dutyNamesOf(projection).map((duty, index, { length: count }) => ({
      name: duty,
      run: (signal: AbortSignal) => runProjection(projection, { store, pool, log }, signal, { index, count }),
    })),
  ),
  { onError: () => undefined },
);
