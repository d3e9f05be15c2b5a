import * as z from 'zod/mini';
import { LIVE_TYPES } from '../../contracts/live.ts';
import { said, time } from './common.ts';

/** A message of the live channel (specification, section 4). Public data only. */
export const liveMessage = z.object({
  seq: said(z.string(), 'Position of the event; opaque, ordered as text. Hand it back as `since` to resume without a gap.'),
  type: z.enum(LIVE_TYPES),
  adId: z.string(),
  // Where the ad is listed; null when the change does not say.
  place: z.nullable(z.object({ state: z.string(), city: z.string(), category: z.string() })),
  at: time,
});
