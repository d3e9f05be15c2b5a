import type { AdPlace } from '@alpenglow/domain';
import { AD_OWNERS } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const adOwners = defineProjection(AD_OWNERS)({
  indexes: (table) => [`create index on ${table} (account_id, posted_at)`],
  keyOf: (event) => {
    if (event.type === 'AdPosted') return event.data.adId;
    if (event.type !== 'AdUpdated') return null;
    const { state, city, category } = event.data;
    return (state ?? city ?? category) === undefined ? null : event.data.adId;
  },
  on: {
    AdPosted: ({ data, meta }) => ({
      ad_id: data.adId,
      account_id: data.accountId,
      posted_at: meta.at,
      places: [{ state: data.state, city: data.city, category: data.category }],
    }),
    AdUpdated: ({ data }, row) => row && { ...row, places: withPlace(row.places, data) },
  },
});

/** Adds the place after an edit, as the last one. An ad that returns to an earlier place has this place only once. */
function withPlace(
  places: readonly AdPlace[],
  changes: { readonly [Field in keyof AdPlace]?: AdPlace[Field] | undefined },
): readonly AdPlace[] {
  const last = places.at(-1);
  if (!last) return places;
  const { state = last.state, city = last.city, category = last.category } = changes;
  const isOther = (one: AdPlace) => one.state !== state || one.city !== city || one.category !== category;
  return [...places.filter(isOther), { state, city, category }];
}
