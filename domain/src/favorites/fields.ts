import * as z from 'zod/mini';
import { registerBody } from '../api/component.ts';
import { AD_ID_PATTERN } from '../listing/fields.ts';

/** Request body of `POST /favorites`. */
export const newFavoriteFields = registerBody('NewFavorite', {
  adId: z.string('Please choose an ad').check(z.regex(AD_ID_PATTERN, 'Please choose an ad')),
});
