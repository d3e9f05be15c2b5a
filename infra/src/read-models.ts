/** A read model in the version that a build reads and writes. */
export interface ReadModel {
  readonly name: string;
  readonly version: number;
  /** The names of all its tables, as SQL statements use them with the schema `rm`. */
  readonly tables: readonly string[];
}

/**
 * The read models of this build, in the versions that its SQL statements expect. The version of each read model equals
 * the version of the projection that fills it. The readers do not depend on the projections, so the versions are listed
 * here again, and a test compares both.
 */
export const READ_MODELS: readonly ReadModel[] = [
  { name: 'ad_cards', version: 5, tables: ['ad_cards', 'ad_tallies', 'ad_words'] },
  { name: 'ad_details', version: 2, tables: ['ad_details'] },
  { name: 'ad_owners', version: 1, tables: ['ad_owners'] },
  { name: 'ad_standings', version: 1, tables: ['ad_standings'] },
  { name: 'transparency_days', version: 1, tables: ['transparency_days'] },
  { name: 'accounts', version: 4, tables: ['accounts'] },
  { name: 'media_items', version: 4, tables: ['media_items'] },
  { name: 'erasures', version: 1, tables: ['erasures'] },
  { name: 'favorites', version: 1, tables: ['favorites'] },
  { name: 'verification_codes', version: 1, tables: ['verification_codes'] },
  { name: 'daily_counts', version: 1, tables: ['daily_counts'] },
  { name: 'community_threads', version: 1, tables: ['community_threads', 'community_places'] },
  { name: 'community_posts', version: 1, tables: ['community_posts'] },
  { name: 'thread_follows', version: 1, tables: ['thread_follows'] },
  { name: 'helpful_marks', version: 2, tables: ['helpful_marks'] },
  { name: 'articles', version: 2, tables: ['articles', 'article_tags'] },
  { name: 'ad_links', version: 1, tables: ['ad_links'] },
  { name: 'moderation_cases', version: 1, tables: ['moderation_cases'] },
  { name: 'decisions', version: 1, tables: ['decisions'] },
  { name: 'reports', version: 2, tables: ['reports'] },
  { name: 'hiding_rules', version: 1, tables: ['hiding_rules'] },
  { name: 'identity_checks', version: 2, tables: ['identity_checks'] },
];
