import { useEffect } from 'react';
import type { AdCard } from '@alpenglow/domain/contracts';
import { useUser } from '@alpenglow/ui';
import { favoritesOf, guestCards } from './stores.ts';

/** Keeps a guest's card of an ad fresh while they look at the ad itself. */
export function useKeptCard(adId: string, ad: AdCard | undefined, isGone: boolean): void {
  const isGuest = useUser() === null;
  useEffect(() => {
    if (!isGuest || !favoritesOf(null).has(adId)) return;
    if (isGone) guestCards().markGone(adId);
    else if (ad) guestCards().keep(ad);
  }, [isGuest, adId, ad, isGone]);
}
