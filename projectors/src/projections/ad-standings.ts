import { slugOf } from '@alpenglow/domain';
import { defineProjection } from '../projection.ts';

/**
 * What each event has changed of where an ad stands in lists: one row per event, for all times, null where it changed nothing. The order of
 * a list at any moment is what the rows up to it add up to (decision 0040).
 */
export type AdStandingRow = {
  readonly event_id: string;
  readonly ad_id: string;
  readonly event_type: string;
  readonly revision: number;
  readonly at: string;
  readonly state: string | null;
  readonly city_slug: string | null;
  readonly category: string | null;
  readonly is_featured: boolean | null;
  /** Whether lists show it from here on: not while it is hidden, nor once it is deleted. */
  readonly is_shown: boolean | null;
  /** Whether it has moved up with this event: lists go by the last time it did. */
  readonly moves_up: boolean;
};

type Standing = Pick<AdStandingRow, 'event_id' | 'ad_id' | 'event_type' | 'revision' | 'at'>;
type Happened = {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly adId: string };
  readonly revision: number;
  readonly meta: { readonly at: string };
};

const UNCHANGED = {
  state: null,
  city_slug: null,
  category: null,
  is_featured: null,
  is_shown: null,
  moves_up: false,
} as const;

function standing({ id, type, data, revision, meta }: Happened): Standing & typeof UNCHANGED {
  return { event_id: id, ad_id: data.adId, event_type: type, revision, at: meta.at, ...UNCHANGED };
}

export const adStandings = defineProjection<AdStandingRow>({
  name: 'ad_standings',
  version: 1,
  columns: {
    event_id: 'text primary key',
    ad_id: 'text not null',
    event_type: 'text not null',
    revision: 'integer not null',
    at: 'timestamptz not null',
    state: 'text',
    city_slug: 'text',
    category: 'text',
    is_featured: 'boolean',
    is_shown: 'boolean',
    moves_up: 'boolean not null',
  },
  indexes: (table) => [
    // Every ad that ever stood in a city, the last event that moved an ad up, and all else that is known of an ad.
    `create index on ${table} (city_slug, at) include (ad_id) where city_slug is not null`,
    `create index on ${table} (ad_id, revision desc) include (at) where moves_up`,
    `create index on ${table} (ad_id, revision) where event_type <> 'AdBumped'`,
  ],
  keyOf: (event) => ('adId' in event.data ? event.id : null),
  on: {
    AdPosted: (event) => {
      const { state, city, category } = event.data;
      return {
        ...standing(event),
        state,
        city_slug: slugOf(city),
        category,
        is_featured: false,
        is_shown: true,
        moves_up: true,
      };
    },
    AdUpdated: (event) => {
      const { state, city, category } = event.data;
      if (state === undefined && city === undefined && category === undefined) return null;
      return {
        ...standing(event),
        state: state ?? null,
        city_slug: city === undefined ? null : slugOf(city),
        category: category ?? null,
      };
    },
    AdBumped: (event) => ({ ...standing(event), moves_up: true }),
    AdFeatured: (event) => ({ ...standing(event), is_featured: event.data.isFeatured }),
    AdHidden: (event) => ({ ...standing(event), is_shown: false }),
    AdRestored: (event) => ({ ...standing(event), is_shown: true }),
    AdDeleted: (event) => ({ ...standing(event), is_shown: false }),
  },
});
