/** Messages of the live channel (specification, section 4). Public data only. */

export const LIVE_TYPES = ['ad_created', 'ad_updated', 'ad_bumped', 'ad_deleted'] as const;
export type LiveType = (typeof LIVE_TYPES)[number];

export interface LiveMessage {
  /** Position of the event; opaque, ordered as text. Hand it back as `since` to resume without a gap. */
  readonly seq: string;
  readonly type: LiveType;
  readonly adId: string;
  /** Where the ad is listed; null when the change does not say. */
  readonly place: { readonly state: string; readonly city: string; readonly category: string } | null;
  /** ISO 8601, UTC. */
  readonly at: string;
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
