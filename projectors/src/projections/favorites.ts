import { declaredReadModel } from '@alpenglow/infra';
import { defineProjection, type RowOf } from '../projection.ts';

const columns = {
  account_id: 'text primary key',
  /** The ids of the ads, the newest favorite first. Deleted ads remain in the list until the account removes them. */
  ad_ids: 'jsonb not null',
} as const;

/** The ads that an account has saved as favorites. */
export type FavoritesRow = RowOf<typeof columns, { readonly ad_ids: readonly string[] }>;

export const favorites = defineProjection<FavoritesRow>({
  ...declaredReadModel('favorites'),
  columns,
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
