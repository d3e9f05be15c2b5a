import {
  readLiveVersions,
  readModelVersion,
  versionedName,
  type LiveVersion,
  type Pool,
  type PoolClient,
} from '@alpenglow/infra';
import { readModelOf, type Projection } from '../projection.ts';

/** Thrown if another version of a projection has the tables that this version was to use. */
export class VersionMoved extends Error {
  override readonly name = 'VersionMoved';
}

/** Returns the name of the duty that runs this version of a projection, e.g. `ad_cards@5`. */
export function dutyNameOf(projection: Projection): string {
  return readModelVersion({ name: readModelOf(projection), version: projection.version });
}

/**
 * Returns the names of the duties that run this version of a projection together, one for each shard, e.g.
 * `ad_cards@4005#0`. A projection without shards has one duty.
 */
export function dutyNamesOf(projection: Projection): readonly string[] {
  const { shards = 1 } = projection;
  const name = dutyNameOf(projection);
  return shards === 1 ? [name] : Array.from({ length: shards }, (_, index) => `${name}#${index}`);
}

/**
 * Returns the projection with the names under which its version is stored. The first version in a database has names
 * without a version. The tables of every other version have the version in their names, so that two builds can run at
 * the same time. The names of a version that is live never change.
 */
export async function resolveProjection(client: Pool | PoolClient, projection: Projection): Promise<Projection> {
  const [resolved] = await resolveProjections(client, [projection]);
  return resolved as Projection;
}

/** Does the same as `resolveProjection` for several projections. */
export async function resolveProjections(
  client: Pool | PoolClient,
  projections: readonly Projection[],
): Promise<readonly Projection[]> {
  const live = await readLiveVersions(client);
  return projections.map((projection) => withStoredNames(projection, live));
}

function withStoredNames(projection: Projection, live: readonly LiveVersion[]): Projection {
  const readModel = readModelOf(projection);
  const versions = live.filter(({ name }) => name === readModel);
  const own = versions.find(({ version }) => version === projection.version);
  if (versions.length === 0 || own?.storedName === readModel) return projection;
  const rename = (name: string) => versionedName(name, projection.version);
  return {
    ...projection,
    name: rename(readModel),
    readModel,
    ...(projection.tallies && {
      tallies: projection.tallies.map((tally) => ({ ...tally, name: rename(tally.name) })),
    }),
  };
}
