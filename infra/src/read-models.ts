/** A read model in the version that a build reads and writes. */
export interface ReadModel {
  readonly name: string;
  readonly version: number;
  /** The names of all its tables, as SQL statements use them with the schema `rm`. */
  readonly tables: readonly string[];
  /** True if the projection of the read model can be split into shards (decision 0077). Default: false. */
  readonly isShardable?: boolean;
}

/** The maximum number of shards of a projection. */
export const SHARDS_MAX = 64;
const VERSIONS = 1_000;

/**
 * Returns the version of a read model whose projection is split into `shards` shards. The number of shards is part of
 * the version, so that every build stores and reads another number of shards in separate tables (decision 0071).
 */
export function shardedVersion(version: number, shards: number): number {
  return shards === 1 ? version : shards * VERSIONS + version;
}

/** Returns the number of shards in a version of a read model. */
export function shardsOfVersion(version: number): number {
  return Math.max(1, Math.floor(version / VERSIONS));
}

/** Returns the read models of this build, with the configured numbers of shards by the name of the read model. */
export function readModelsWith(shards: ReadonlyMap<string, number>): readonly ReadModel[] {
  return READ_MODELS.map((readModel) => ({
    ...readModel,
    version: shardedVersion(readModel.version, shards.get(readModel.name) ?? 1),
  }));
}

/**
 * The read models of this build, in the versions that its SQL statements expect. The projections that fill them take
 * their versions from this list, so that both always have the same version. Raise the version with every change of the
 * columns or the handlers of a projection.
 */
const DECLARED = [
  { name: 'ad_cards', version: 14, tables: ['ad_cards', 'ad_tallies', 'ad_words'], isShardable: true },
  { name: 'ad_details', version: 3, tables: ['ad_details'], isShardable: true },
  { name: 'ad_owners', version: 2, tables: ['ad_owners'], isShardable: true },
  { name: 'ad_standings', version: 2, tables: ['ad_standings'], isShardable: true },
  { name: 'transparency_days', version: 2, tables: ['transparency_days'] },
  { name: 'accounts', version: 5, tables: ['accounts'], isShardable: true },
  { name: 'media_items', version: 7, tables: ['media_items'], isShardable: true },
  { name: 'erasures', version: 1, tables: ['erasures'] },
  { name: 'favorites', version: 1, tables: ['favorites'], isShardable: true },
  { name: 'verification_codes', version: 1, tables: ['verification_codes'], isShardable: true },
  { name: 'daily_counts', version: 1, tables: ['daily_counts'] },
  { name: 'community_threads', version: 2, tables: ['community_threads', 'community_places'], isShardable: true },
  { name: 'community_posts', version: 2, tables: ['community_posts'] },
  { name: 'thread_follows', version: 1, tables: ['thread_follows'], isShardable: true },
  { name: 'helpful_marks', version: 2, tables: ['helpful_marks'], isShardable: true },
  { name: 'articles', version: 4, tables: ['articles', 'article_tags'] },
  { name: 'ad_links', version: 1, tables: ['ad_links'], isShardable: true },
  { name: 'moderation_cases', version: 1, tables: ['moderation_cases'] },
  { name: 'decisions', version: 2, tables: ['decisions'] },
  { name: 'reports', version: 2, tables: ['reports'], isShardable: true },
  { name: 'removal_requests', version: 1, tables: ['removal_requests'] },
  { name: 'hiding_rules', version: 1, tables: ['hiding_rules'] },
  { name: 'identity_checks', version: 2, tables: ['identity_checks'] },
  { name: 'taken_down_pictures', version: 2, tables: ['taken_down_pictures'] },
  { name: 'identity_pictures', version: 1, tables: ['identity_pictures'] },
] as const satisfies readonly ReadModel[];

export const READ_MODELS: readonly ReadModel[] = DECLARED;

type ReadModelName = (typeof DECLARED)[number]['name'];

/** Returns what a projection and its readers share: the name, the version, and whether it can be split into shards. */
export function declaredReadModel(name: ReadModelName): Omit<ReadModel, 'tables'> {
  const found = READ_MODELS.find((readModel) => readModel.name === name);
  if (!found) throw new Error(`There is no read model ${name}`);
  const { tables: _tables, ...declared } = found;
  return declared;
}
