import type { Projection } from '../projection.ts';
import { accounts } from './accounts.ts';
import { adCards } from './ad-cards.ts';
import { adDetails } from './ad-details.ts';
import { favorites } from './favorites.ts';
import { mediaItems } from './media-items.ts';
import { verificationCodes } from './verification-codes.ts';

/** Every projection of the product. */
export const PROJECTIONS: readonly Projection[] = [adCards, adDetails, accounts, mediaItems, favorites, verificationCodes] as unknown as readonly Projection[];
