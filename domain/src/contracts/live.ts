/** Messages of the live channel (specification, section 4). Public data only. */

import type { liveMessage } from '../api/schemas/live.ts';
import type { View } from './view.ts';

export const LIVE_TYPES = ['ad_created', 'ad_updated', 'ad_bumped', 'ad_deleted'] as const;
export type LiveType = (typeof LIVE_TYPES)[number];

/** One change. Its `seq` is handed back as `since` to resume without a gap; `place` is null when the change does not say. */
export type LiveMessage = View<typeof liveMessage>;

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
