import { FAVORITES, type JsonRowOf } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export type FavoritesRow = JsonRowOf<typeof FAVORITES>;

export const favorites = defineProjection(FAVORITES)({
  keyOf: (event) => (event.type === 'AdFavorited' || event.type === 'AdUnfavorited' ? event.data.accountId : null),
  on: {
    AdFavorited: ({ data }, row) => ({
      account_id: data.accountId,
      ad_ids: [data.adId, ...otherFavorites(row, data.adId)],
    }),
    AdUnfavorited: ({ data }, row) => {
      const remaining = otherFavorites(row, data.adId);
      return remaining.length > 0 ? { account_id: data.accountId, ad_ids: remaining } : null;
    },
  },
});

function otherFavorites(row: FavoritesRow | null, adId: string): readonly string[] {
  return (row?.ad_ids ?? []).filter((id) => id !== adId);
}
