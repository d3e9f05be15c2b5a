import { ACCOUNTS, ERASURES, IDENTITY_CHECKS, IDENTITY_PICTURES, VERIFICATION_CODES } from './accounts.ts';
import { AD_CARDS, AD_DETAILS, AD_LINKS, AD_OWNERS, AD_STANDINGS, FAVORITES } from './ads.ts';
import { ARTICLES } from './articles.ts';
import { COMMUNITY_POSTS, COMMUNITY_THREADS, HELPFUL_MARKS, THREAD_FOLLOWS } from './community.ts';
import type { Columns, ReadModel } from './define-read-model.ts';
import { MEDIA_ITEMS, TAKEN_DOWN_PICTURES } from './media.ts';
import { DECISIONS, HIDING_RULES, MODERATION_CASES, REMOVAL_REQUESTS, REPORTS } from './moderation.ts';
import { DAILY_COUNTS, TRANSPARENCY_DAYS } from './statistics.ts';

export * from './accounts.ts';
export * from './ads.ts';
export * from './articles.ts';
export * from './community.ts';
export {
  defineReadModel,
  type Columns,
  type JsonRowOf,
  type Nullable,
  type ReadModel,
  type RowOf,
  type SelectedRow,
} from './define-read-model.ts';
export * from './media.ts';
export * from './moderation.ts';
export * from './statistics.ts';

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

/** The read models of this build. */
export const READ_MODELS: readonly (ReadModel & { readonly table: string; readonly columns: Columns })[] = [
  AD_CARDS,
  AD_DETAILS,
  AD_OWNERS,
  AD_STANDINGS,
  TRANSPARENCY_DAYS,
  ACCOUNTS,
  MEDIA_ITEMS,
  ERASURES,
  FAVORITES,
  VERIFICATION_CODES,
  DAILY_COUNTS,
  COMMUNITY_THREADS,
  COMMUNITY_POSTS,
  THREAD_FOLLOWS,
  HELPFUL_MARKS,
  ARTICLES,
  AD_LINKS,
  MODERATION_CASES,
  DECISIONS,
  REPORTS,
  REMOVAL_REQUESTS,
  HIDING_RULES,
  IDENTITY_CHECKS,
  TAKEN_DOWN_PICTURES,
  IDENTITY_PICTURES,
];
