/** Every business number of the specification, section 9, in one place. Units are in the names. */

import type { Category } from './listing/categories.ts';

export const PRODUCT_NAME = 'Alpenglow';

export const MINIMUM_AGE_years = 18;

export const BUMP_COOLDOWN_ms = 1_800_000;

export const MAX_PHOTOS = 5;
export const MAX_FILE_bytes = 100 * 1024 * 1024;
export const MAX_VIDEO_s = 20;

export const RESIZE_THRESHOLD_bytes = 2_621_440;
export const RESIZE_MAX_px = 1600;
export const RESIZE_JPEG_QUALITY = 0.85;

export const UPLOAD_TIMEOUT_ms = 300_000;
export const UPLOAD_RETRY_WAITS_ms = [2_000, 4_000] as const;
export const UPLOAD_STATUS_LIFETIME_ms = 3_000;

export const LIVE_RECONNECT_ms = 5_000;
export const HEALTH_TIMEOUT_ms = 5_000;
export const CHUNK_LOAD_TIMEOUT_ms = 120_000;

export const DEMO_ADS_PER_CITY = 10;
export const DEMO_WEIGHTS_percent: Readonly<Record<Category, number>> = { escort: 60, massage: 25, companion: 10, fetish: 5 };
export const DEMO_REVIEWS = { min: 2, max: 4 } as const;
export const DEMO_RATINGS = { min: 2, max: 5 } as const;
export const DEMO_FALLBACK_PHOTOS = 3;

/** What the e-mail sending service is told it is talking to. */
export const MAIL_SERVICE_VERSION = '4.4.1';

/** Product decisions, "Verification codes and e-mail". */
export const VERIFICATION_CODE_LIFETIME_ms = 15 * 60_000;
export const VERIFICATION_MAX_ATTEMPTS = 5;

/** The same of the codes that reset a password. */
export const PASSWORD_RESET_LIFETIME_ms = 15 * 60_000;
export const PASSWORD_RESET_MAX_ATTEMPTS = 5;
export const PASSWORD_RESET_WAIT_ms = 60_000;

export const MAX_FAVORITES = 500;
export const REVIEW_COMMENT_MAX = 1_000;
export const RATING_MIN = 1;
export const RATING_MAX = 5;

/** Whoever has done something with their ad this recently counts as online. */
export const ONLINE_ms = 24 * 60 * 60_000;

/** How long the same Idempotency-Key answers the same. */
export const IDEMPOTENCY_ms = 24 * 60 * 60_000;

/** A read waits at most so long for the position it names. */
export const WAIT_POSITION_ms = 2_000;

export const LIST_LIMIT_DEFAULT = 24;
export const LIST_LIMIT_MAX = 100;

/** Photo variants are made at these widths, in these formats; a smaller original is never enlarged. */
export const PHOTO_WIDTHS_px = [320, 640, 1600] as const;
export const PHOTO_FORMATS = ['avif', 'webp', 'jpg'] as const;
/** A photo with more pixels than this is refused before it is decoded. */
export const MAX_PHOTO_pixels = 100_000_000;

export const VERIFICATION_RESEND_WAIT_ms = 60_000;
export const SESSION_LIFETIME_ms = 30 * 24 * 60 * 60_000;

/** Ads never listed, where nothing else is configured: a quirk of the specification, section 4 (product decisions, "Quirks kept"). */
export const HIDDEN_AD_IDS_DEFAULT: readonly string[] = ['6'];
