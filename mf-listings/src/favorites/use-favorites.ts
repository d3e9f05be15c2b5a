import { useMemo, useSyncExternalStore } from 'react';
import { listingsMessages as text, useHost, useUser } from '@alpenglow/ui';
import { bucketOf, createFavorites, type Favorites } from './favorites.ts';

const byBucket = new Map<string, Favorites>();

function favoritesOf(email: string | null): Favorites {
  const bucket = bucketOf(email);
  const known = byBucket.get(bucket) ?? createFavorites(localStorage, bucket);
  byBucket.set(bucket, known);
  return known;
}

/** The visitor's favorites, and how to change them. Providers keep none (specification, section 5, "Other"). */
export function useFavorites(): { readonly ids: readonly string[]; readonly toggle: (adId: string) => void } {
  const { notify } = useHost();
  const user = useUser();
  const email = user?.email ?? null;
  const favorites = useMemo(() => favoritesOf(email), [email]);
  const ids = useSyncExternalStore(favorites.subscribe, favorites.all);
  return {
    ids,
    toggle(adId) {
      if (user?.isProvider) {
        notify({ text: text.onlyClientsFavorite, tone: 'danger' });
        return;
      }
      try {
        favorites.toggle(adId);
      } catch {
        notify({ text: text.favoritesFailed, tone: 'danger' });
      }
    },
  };
}
