import { slugify, type RecordedDomainEvent } from '@alpenglow/domain';
import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  event_id: 'text primary key',
  ad_id: 'text not null',
  event_type: 'text not null',
  revision: 'integer not null',
  at: 'timestamptz not null',
  state: 'text',
  city_slug: 'text',
  category: 'text',
  is_featured: 'boolean',
  /** True if lists show the ad from this event on. False if this event hides or deletes the ad. */
  is_shown: 'boolean',
  /**
   * True if this event moves the ad up in lists. Lists are sorted by the time of the last event that moved the ad up.
   */
  moves_up: 'boolean not null',
  /** The time by which lists sort the ad from this event on. Null if the event does not change it. */
  sorted_at: 'timestamptz',
} as const;

/**
 * The change that one event makes to the position of an ad in lists. A column is null if the event does not change it.
 * The rows are stored permanently, so the order of a list can be computed for any past time (decision 0040).
 */
export type AdStandingRow = RowOf<typeof columns>;

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

export const adStandings = defineProjection<AdStandingRow>({
  ...declaredReadModel('ad_standings'),
  columns,
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
