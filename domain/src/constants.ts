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
export const DEMO_WEIGHTS_percent: Readonly<Record<Category, number>> = {
  escort: 60,
  massage: 25,
  companion: 10,
  fetish: 5,
};
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

/** How long a new secret of two-step sign-in waits for the first code of it. */
export const TWO_STEP_SET_UP_LIFETIME_ms = 15 * 60_000;
export const RECOVERY_CODES = 10;

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

/** Of the community: how long the words of a post may be changed after it was posted. */
export const EDIT_WINDOW_ms = 15 * 60_000;
/** An account waits so long after its sign-up before it writes in the community. */
export const NEW_ACCOUNT_WAIT_ms = 10 * 60_000;
/** For so long an account counts as new, and may post less. */
export const NEW_ACCOUNT_ms = 7 * 24 * 60 * 60_000;
export const POST_LINKS_MAX = { newAccount: 1, account: 10 } as const;
export const POSTS_PER_HOUR = { newAccount: 5, account: 60 } as const;
/** The same words again count as a duplicate for so long. */
export const DUPLICATE_WINDOW_ms = 24 * 60 * 60_000;
/** Words of somebody else's are a duplicate from this length on: everybody may say "Thank you". */
export const DUPLICATE_OF_OTHERS_characters = 40;
export const MAX_REPLIES = 50_000;
export const MAX_FOLLOWS = 500;
export const MAX_HELPFUL_MARKS = 5_000;
export const POSTS_PAGE = { default: 50, max: 100 } as const;
/** After a mail of new replies in a thread, the same person gets the next one of that thread no sooner: a busy thread would fill a mailbox. */
export const REPLY_MAILS_APART_ms = 10 * 60_000;
/** A reply older than this is mailed to nobody by itself, whatever kept it so long. */
export const REPLY_MAIL_LIFETIME_ms = 24 * 60 * 60_000;
/** Mails of a day's new replies leave at this hour, UTC. */
export const DIGEST_HOUR_utc = 8;
/** How fast people read, for reading times. */
export const READING_words_per_minute = 220;

/** So many answers to texts are kept of one account or visitor. */
export const MAX_CONSENTS = 100;
