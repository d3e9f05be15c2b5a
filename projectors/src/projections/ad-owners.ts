import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  ad_id: 'text primary key',
  account_id: 'text not null',
  posted_at: 'timestamptz not null',
} as const;

/**
 * The owner of every ad, including deleted ads. The owner is needed to find the events of an ad, because these events
 * are in an event stream of the owner's account.
 */
export const adOwners = defineProjection<RowOf<typeof columns>>({
  name: 'ad_owners',
  version: 1,
  isShardable: true,
  columns,
  indexes: (table) => [`create index on ${table} (account_id, posted_at)`],
  keyOf: (event) => (event.type === 'AdPosted' ? event.data.adId : null),
  on: {
    AdPosted: ({ data, meta }) => ({ ad_id: data.adId, account_id: data.accountId, posted_at: meta.at }),
  },
});
