import * as z from 'zod/mini';
import { adEntry } from './ads.ts';
import { message, described, registerSuccess } from './common.ts';

/** Response with the favorite ads that still exist. The last added favorite comes first. */
export const favoritesResponse = registerSuccess('FavoritesAnswer', {
  message,
  data: z.array(adEntry),
  adIds: described(z.array(z.string()), 'The ids of the ads.'),
});

/** Response with one favorite. The id of a favorite is the id of its ad. */
export const favoriteResponse = registerSuccess('FavoriteAnswer', {
  message,
  data: z.object({ id: z.string(), adId: z.string() }),
});
