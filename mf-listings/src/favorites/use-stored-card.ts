import { useEffect } from 'react';
import type { AdCard } from '@alpenglow/domain/contracts';
import { useUser } from '@alpenglow/ui';
import { getGuestCards } from './card-stores.ts';
import { getFavorites } from './stores.ts';

/** Updates the ad card in the browser storage when a guest opens the page of a favorite ad. */
export function useStoredCard(adId: string, ad: AdCard | undefined, isGone: boolean): void {
  const isGuest = useUser() === null;
  useEffect(() => {
    if (!isGuest || !getFavorites(null).has(adId)) return;
    if (isGone) getGuestCards().markDeleted(adId);
    else if (ad) getGuestCards().store(ad);
  }, [isGuest, adId, ad, isGone]);
}
