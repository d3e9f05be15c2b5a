import { defineProjection } from '../projection.ts';

/** What an account keeps as favorites. */
export type FavoritesRow = {
  readonly account_id: string;
  /** The favorite added last comes first; ads that are gone stay until they are taken off. */
  readonly ad_ids: readonly string[];
};

export const favorites = defineProjection<FavoritesRow>({
  name: 'favorites',
  version: 1,
  columns: {
    account_id: 'text primary key',
    ad_ids: 'jsonb not null',
  },
  indexes: () => [],
  keyOf: (event) => (event.type === 'AdFavorited' || event.type === 'AdUnfavorited' ? event.data.accountId : null),
  on: {
    AdFavorited: ({ data }, row) => ({ account_id: data.accountId, ad_ids: [data.adId, ...others(row, data.adId)] }),
    AdUnfavorited: ({ data }, row) => {
      const left = others(row, data.adId);
      return left.length > 0 ? { account_id: data.accountId, ad_ids: left } : null;
    },
  },
});

function others(row: FavoritesRow | null, adId: string): readonly string[] {
  return (row?.ad_ids ?? []).filter((one) => one !== adId);
}
