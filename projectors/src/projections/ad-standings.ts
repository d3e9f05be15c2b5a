import { slugify, type RecordedDomainEvent } from '@alpenglow/domain';
import { AD_STANDINGS, type JsonRowOf } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export type AdStandingRow = JsonRowOf<typeof AD_STANDINGS>;

type EventColumns = Pick<AdStandingRow, 'event_id' | 'ad_id' | 'event_type' | 'revision' | 'at'>;
type AdEvent = Extract<RecordedDomainEvent, { readonly data: { readonly adId: string } }>;

const UNCHANGED = {
  state: null,
  city_slug: null,
  category: null,
  is_featured: null,
  is_shown: null,
  moves_up: false,
  sorted_at: null,
} as const;

function rowFor({ id, type, data, revision, meta }: AdEvent): EventColumns & typeof UNCHANGED {
  return { event_id: id, ad_id: data.adId, event_type: type, revision, at: meta.at, ...UNCHANGED };
}

export const adStandings = defineProjection(AD_STANDINGS)({
  indexes: (table) => [
    // The first index finds all ads that were ever in a city. The second index finds the last event that moved an ad
    // up. The third index finds all other changes of an ad.
    `create index on ${table} (city_slug, at) include (ad_id) where city_slug is not null`,
    `create index on ${table} (ad_id, revision desc) include (at, sorted_at) where moves_up`,
    `create index on ${table} (ad_id, revision) where event_type <> 'AdBumped'`,
  ],
  keyOf: (event) => ('adId' in event.data ? event.id : null),
  on: {
    AdPosted: (event) => {
      const { state, city, category } = event.data;
      return {
        ...rowFor(event),
        state,
        city_slug: slugify(city),
        category,
        is_featured: false,
        is_shown: true,
        moves_up: true,
        // An ad that is posted again keeps the rank of the earlier ad.
        sorted_at: event.data.earlier?.lastBumpedAt ?? event.meta.at,
      };
    },
    AdUpdated: (event) => {
      const { state, city, category } = event.data;
      if (state === undefined && city === undefined && category === undefined) return null;
      return {
        ...rowFor(event),
        state: state ?? null,
        city_slug: city === undefined ? null : slugify(city),
        category: category ?? null,
      };
    },
    AdBumped: (event) => ({ ...rowFor(event), moves_up: true, sorted_at: event.meta.at }),
    AdFeatured: (event) => ({ ...rowFor(event), is_featured: event.data.isFeatured }),
    AdHidden: (event) => ({ ...rowFor(event), is_shown: false }),
    AdRestored: (event) => ({ ...rowFor(event), is_shown: true }),
    AdDeleted: (event) => ({ ...rowFor(event), is_shown: false }),
  },
});
