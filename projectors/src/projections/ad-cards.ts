import { definedOnly, slugOf } from '@alpenglow/domain';
import { defineProjection } from '../projection.ts';

/** An ad as lists show it. One row per ad slot, so per provider. */
export type AdCardRow = {
  readonly account_id: string;
  readonly ad_id: string;
  readonly revision: number;
  readonly title: string;
  readonly name: string;
  readonly category: string;
  readonly state: string;
  readonly city: string;
  readonly city_slug: string;
  readonly price: string | null;
  readonly photos: readonly string[];
  readonly is_demo: boolean;
  readonly bump_count: number;
  readonly rating_sum: number;
  readonly review_count: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly last_bumped_at: string;
};

export const adCards = defineProjection<AdCardRow>({
  name: 'ad_cards',
  version: 1,
  columns: {
    account_id: 'text primary key',
    ad_id: 'text not null',
    revision: 'integer not null',
    title: 'text not null',
    name: 'text not null',
    category: 'text not null',
    state: 'text not null',
    city: 'text not null',
    city_slug: 'text not null',
    price: 'text',
    photos: 'jsonb not null',
    is_demo: 'boolean not null',
    bump_count: 'integer not null',
    rating_sum: 'integer not null',
    review_count: 'integer not null',
    created_at: 'timestamptz not null',
    updated_at: 'timestamptz not null',
    last_bumped_at: 'timestamptz not null',
  },
  indexes: (table) => [
    `create unique index on ${table} (ad_id)`,
    `create index on ${table} (last_bumped_at desc, ad_id desc)`,
    `create index on ${table} (state, city_slug, last_bumped_at desc, ad_id desc)`,
    `create index on ${table} (category, last_bumped_at desc, ad_id desc)`,
  ],
  keyOf: (event) => ('adId' in event.data ? event.data.accountId : null),
  on: {
    AdPosted: ({ data, meta, revision }) => ({
      account_id: data.accountId,
      ad_id: data.adId,
      revision,
      title: data.title,
      name: data.name,
      category: data.category,
      state: data.state,
      city: data.city,
      city_slug: slugOf(data.city),
      price: data.price,
      photos: data.photos,
      is_demo: data.isDemo,
      bump_count: 0,
      rating_sum: 0,
      review_count: 0,
      created_at: meta.at,
      updated_at: meta.at,
      last_bumped_at: meta.at,
    }),
    AdUpdated: ({ data, meta, revision }, row) => {
      if (!row) return null;
      const { title, name, category, state, city, price, photos } = data;
      const changes = definedOnly({ title, name, category, state, city, price, photos, city_slug: city === undefined ? undefined : slugOf(city) });
      return { ...row, ...changes, revision, updated_at: meta.at };
    },
    AdBumped: ({ meta, revision }, row) => row && { ...row, revision, bump_count: row.bump_count + 1, last_bumped_at: meta.at, updated_at: meta.at },
    AdDeleted: () => null,
    AdReviewed: ({ data, revision }, row) => row && { ...row, revision, rating_sum: row.rating_sum + data.rating, review_count: row.review_count + 1 },
  },
});
