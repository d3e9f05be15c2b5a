import { phoneDigitsOf } from '@alpenglow/domain';
import { defineProjection } from '../projection.ts';

/** What shows moderators that ads of several accounts belong together (design, trust and privacy): the phone number in one spelling. Hashes of photos are those of `media_items`. */
export type AdLinkRow = {
  readonly account_id: string;
  readonly ad_id: string;
  /** Null without a number long enough to be one. */
  readonly phone_digits: string | null;
};

export const adLinks = defineProjection<AdLinkRow>({
  name: 'ad_links',
  version: 1,
  columns: { account_id: 'text primary key', ad_id: 'text not null', phone_digits: 'text' },
  indexes: (table) => [`create index on ${table} (phone_digits) where phone_digits is not null`],
  keyOf: (event) =>
    event.type === 'AdPosted' || event.type === 'AdUpdated' || event.type === 'AdDeleted' ? event.data.accountId : null,
  on: {
    AdPosted: ({ data }) => ({ account_id: data.accountId, ad_id: data.adId, phone_digits: phoneDigitsOf(data.phone) }),
    AdUpdated: ({ data }, row) =>
      row && data.phone !== undefined ? { ...row, phone_digits: phoneDigitsOf(data.phone) } : row,
    AdDeleted: () => null,
  },
});
