import * as z from 'zod/mini';
import { registerResponseSchema, registerView } from '../component.ts';
import { AD_LIVE_TYPES, THREAD_LIVE_TYPES } from '../../contracts/live-types.ts';
import { count, described, timestamp } from './common.ts';

const seq = described(
  z.string(),
  'Opaque token of the position of the event. Send it as `since` to resume without a gap.',
);

/** A message of the live channel about a change of an ad. */
export const adLiveMessage = registerView('AdLiveMessage', {
  seq,
  type: z.enum(AD_LIVE_TYPES),
  adId: z.string(),
  // The place and category in which the ad is listed. Null for types of messages that do not contain them.
  place: z.nullable(z.object({ state: z.string(), city: z.string(), category: z.string() })),
  // True if a hidden ad is public again. Lists add it like a new ad, but it is not a new ad.
  isRestored: z.boolean(),
  at: timestamp,
});

/**
 * A message of the live channel about a change in the community: a new thread, a new reply, or another change of a
 * thread.
 */
export const threadLiveMessage = registerView('ThreadLiveMessage', {
  seq,
  type: z.enum(THREAD_LIVE_TYPES),
  threadId: z.string(),
  // Number of the post. Null if the change concerns the whole thread.
  number: z.nullable(count),
  // The place in which the thread was started, or to which it was moved. Null for any other change.
  threadPlace: z.nullable(z.object({ country: z.string(), state: z.string(), city: z.string() })),
  at: timestamp,
});

/** A message of the live channel, which sends changes to browsers. The message contains only public data. */
export const liveMessage = registerResponseSchema('LiveMessage', z.union([adLiveMessage, threadLiveMessage]));
