import * as z from 'zod/mini';
import { AD_ID } from '../listing/fields.ts';

/** `POST /favorites` of the specification, section 7. */
export const newFavorite = z.object({ adId: z.string('Which ad?').check(z.regex(AD_ID, 'Which ad?')) });
