import { normalizePhone } from '@alpenglow/domain';
import { AD_LINKS } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

/**
 * The phone number of each ad in a normalized format. Moderators use the phone number to find ads of different accounts
 * that belong together (T-5). They also compare photos, whose hashes are in `media_items`.
 */
export const adLinks = defineProjection(AD_LINKS)({
  indexes: (table) => [`create index on ${table} (phone_digits) where phone_digits is not null`],
  keyOf: (event) =>
    event.type === 'AdPosted' || event.type === 'AdUpdated' || event.type === 'AdDeleted' ? event.data.accountId : null,
  on: {
    AdPosted: ({ data }) => ({
      account_id: data.accountId,
      ad_id: data.adId,
      phone_digits: normalizePhone(data.phone),
    }),
    AdUpdated: ({ data }, row) =>
      row && data.phone !== undefined ? { ...row, phone_digits: normalizePhone(data.phone) } : row,
    AdDeleted: () => null,
  },
});
