import * as z from 'zod/mini';
import { adCard } from './ads.ts';
import { done, message, said } from './common.ts';

/** The ads still there, the favorite added last first. */
export const favoritesAnswer = z.object({
  success: done,
  data: z.array(adCard),
  adIds: said(z.array(z.string()), 'The ids of the ads.'),
});

/** The id of a favorite is that of its ad. */
export const favoriteAnswer = z.object({
  success: done,
  message,
  data: z.object({ id: z.string(), adId: z.string() }),
});
