import type { AdCard } from '@alpenglow/domain/contracts';
import { browserStorage, LOCAL_KEYS } from '@alpenglow/ui';
import { createStoredCards } from './stored-cards.ts';

let cards: ReturnType<typeof createStoredCards> | undefined;

/** Returns the store for the ad cards of a guest's favorites in this browser. */
export const getGuestCards = () => (cards ??= createStoredCards(browserStorage()));

/**
 * Stores the ad cards of a client's favorites for the offline page. The shell deletes them at the logout
 * (shell/src/session/session.ts).
 */
export function storeClientCards(favorites: readonly AdCard[]): void {
  createStoredCards(browserStorage(), LOCAL_KEYS.clientCards).replace(favorites);
}
