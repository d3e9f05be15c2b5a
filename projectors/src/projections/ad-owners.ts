import { defineProjection } from '../projection.ts';

/** Whose every ad is or was, deleted ones as well: the history of an ad is in the stream of its owner's slot. */
export type AdOwnerRow = {
  readonly ad_id: string;
  readonly account_id: string;
  readonly posted_at: string;
};

export const adOwners = defineProjection<AdOwnerRow>({
  name: 'ad_owners',
  version: 1,
  columns: { ad_id: 'text primary key', account_id: 'text not null', posted_at: 'timestamptz not null' },
  indexes: (table) => [`create index on ${table} (account_id, posted_at)`],
  keyOf: (event) => (event.type === 'AdPosted' ? event.data.adId : null),
  on: {
    AdPosted: ({ data, meta }) => ({ ad_id: data.adId, account_id: data.accountId, posted_at: meta.at }),
  },
});
