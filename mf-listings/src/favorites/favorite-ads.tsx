import { useQueries } from '@tanstack/react-query';
import { adQuery, commonMessages, EmptyState, LinkButton, listingsMessages as text, useApi, useUser } from '@alpenglow/ui';
import { AdGrid, AdGridSkeleton } from '../ads/ad-grid.tsx';
import { useFavorites } from './use-favorites.ts';

/** More than this are kept, but not shown. */
const SHOWN_MAX = 60;

/** The visitor's favorites as cards. An ad that was taken down is passed over. */
export function FavoriteAds() {
  const api = useApi();
  const viewer = useUser()?.id ?? null;
  const { ids } = useFavorites();
  const ads = useQueries({ queries: ids.slice(0, SHOWN_MAX).map((id) => adQuery(api, id, viewer)) });
  const found = ads.map(({ data }) => data).filter((ad) => ad !== undefined);

  if (ads.some(({ isPending }) => isPending)) return <AdGridSkeleton count={Math.max(1, ids.length)} />;
  if (found.length === 0) {
    return (
      <EmptyState title={text.favoritesEmptyTitle} actions={<LinkButton to="/listings">{commonMessages.browse}</LinkButton>}>
        <p>{text.favoritesEmptyText}</p>
      </EmptyState>
    );
  }
  return <AdGrid ads={found} label={text.favorites} />;
}
