import * as z from 'zod/mini';
import { AD_LIVE_TYPES, THREAD_LIVE_TYPES } from '../../contracts/live.ts';
import { count, said, time } from './common.ts';

const seq = said(
  z.string(),
  'Position of the event; opaque, ordered as text. Hand it back as `since` to resume without a gap.',
);

/** A change of an ad (specification, section 4). */
export const adLiveMessage = z.object({
  seq,
  type: z.enum(AD_LIVE_TYPES),
  adId: z.string(),
  // Where the ad is listed; null when the change does not say.
  place: z.nullable(z.object({ state: z.string(), city: z.string(), category: z.string() })),
  at: time,
});

/** A change in the community: a thread is there, a reply has come, or something else about a thread has changed. */
export const threadLiveMessage = z.object({
  seq,
  type: z.enum(THREAD_LIVE_TYPES),
  threadId: z.string(),
  // Of the post it is about; null when it is about the thread.
  number: z.nullable(count),
  // Where the thread was started or moved to; null when the change does not say.
  threadPlace: z.nullable(z.object({ country: z.string(), state: z.string(), city: z.string() })),
  at: time,
});

/** A message of the live channel. Public data only. */
export const liveMessage = z.union([adLiveMessage, threadLiveMessage]);
