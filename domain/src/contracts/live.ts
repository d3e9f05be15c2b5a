/** Messages of the live channel (specification, section 4). Public data only. */

import type { adLiveMessage, liveMessage, threadLiveMessage } from '../api/schemas/live.ts';
import type { View } from './view.ts';

export const AD_LIVE_TYPES = ['ad_created', 'ad_updated', 'ad_bumped', 'ad_deleted'] as const;
export const THREAD_LIVE_TYPES = ['thread_started', 'reply_posted', 'thread_changed'] as const;
export type LiveType = LiveMessage['type'];

/** One change. Its `seq` is handed back as `since` to resume without a gap. */
export type LiveMessage = View<typeof liveMessage>;
/** Of an ad; `place` is null when the change does not say. */
export type AdLiveMessage = View<typeof adLiveMessage>;
/** Of a thread of the community. */
export type ThreadLiveMessage = View<typeof threadLiveMessage>;

export function isAdMessage(message: LiveMessage): message is AdLiveMessage {
  return 'adId' in message;
}

export function isThreadMessage(message: LiveMessage): message is ThreadLiveMessage {
  return 'threadId' in message;
}

/** Close codes of the live channel, beside the standard ones. */
export const LIVE_CLOSE = {
  /** The token is unknown, expired or revoked. */
  badToken: 4401,
  /** The client reads too slowly; reconnect with `since`. */
  tooSlow: 4408,
  /** `since` lies too far back; reload and connect without it. */
  tooOld: 4410,
  /** This process has as many clients as it takes. */
  full: 4429,
} as const;
