/** Business constants. A lowercase suffix of a name is the unit of the value, e.g. `_ms`. */

import type { Category } from './listing/categories.ts';

export const PRODUCT_NAME = 'Alpenglow';

export const MINIMUM_AGE_years = 18;

export const BUMP_COOLDOWN_ms = 1_800_000;
/** The views of an ad by one visitor within this time count as one view. */
export const AD_VIEW_WINDOW_ms = 1_800_000;
/** The largest number of visitors without an account whose views of an ad count, for each network in this time. */
export const AD_VIEW_GUESTS_MAX = 20;

export const MAX_PHOTOS = 5;
export const MAX_FILE_bytes = 100 * 1024 * 1024;
/** The form warns of a photo whose longer side has fewer pixels, because pages show photos larger. */
export const SMALL_PHOTO_px = 640;
export const MAX_VIDEO_s = 20;

export const RESIZE_THRESHOLD_bytes = 2_621_440;
export const RESIZE_MAX_px = 1600;
export const RESIZE_JPEG_QUALITY = 0.85;

export const UPLOAD_TIMEOUT_ms = 300_000;
export const UPLOAD_RETRY_WAITS_ms = [2_000, 4_000] as const;
/** Files of at least this size are uploaded so that an interrupted upload can be resumed. */
export const RESUMABLE_MIN_bytes = 2 * 1024 * 1024;
/** The time after which an upload that is not complete is removed. */
export const PARTIAL_UPLOAD_LIFETIME_ms = 24 * 60 * 60_000;
/** The number of incomplete uploads of an account. A further one replaces the oldest. */
export const MAX_PARTIAL_UPLOADS = 8;
/**
 * The waits between attempts while the server cannot be reached. They are 10 minutes together. The next attempt starts
 * early when the browser reports that the connection is back.
 */
export const UPLOAD_CONNECTION_WAITS_ms: readonly number[] = [
  1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000,
  30_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000,
];
export const UPLOAD_STATUS_LIFETIME_ms = 3_000;

export const LIVE_RECONNECT_ms = 5_000;
/** The maximum random time that is added to the reconnect delay, so that clients do not reconnect at once. */
export const LIVE_RECONNECT_SPREAD_ms = 5_000;
export const HEALTH_TIMEOUT_ms = 5_000;
/** The number of first characters of a request id that error messages show as reference. */
export const REFERENCE_characters = 12;
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

/** The version that requests to the e-mail sending service must contain in the field `lib_version`. */
export const MAIL_SERVICE_VERSION = '4.4.1';

/** Lifetime of a code that verifies an e-mail address. */
export const VERIFICATION_CODE_LIFETIME_ms = 15 * 60_000;
export const VERIFICATION_MAX_ATTEMPTS = 5;

/** Lifetime of a password reset code. */
export const PASSWORD_RESET_LIFETIME_ms = 15 * 60_000;
export const PASSWORD_RESET_MAX_ATTEMPTS = 5;
export const PASSWORD_RESET_WAIT_ms = 60_000;

/** Lifetime of a code for a login after many failed logins. */
export const LOGIN_CODE_LIFETIME_ms = 15 * 60_000;
export const LOGIN_CODE_MAX_ATTEMPTS = 5;
export const LOGIN_CODE_WAIT_ms = 60_000;

/** Time within which a user must confirm a new secret for two-step sign-in with a code. */
export const TWO_STEP_SET_UP_LIFETIME_ms = 15 * 60_000;
export const RECOVERY_CODE_COUNT = 10;

export const MAX_FAVORITES = 500;
export const REVIEW_COMMENT_MAX = 1_000;
export const RATING_MIN = 1;
export const RATING_MAX = 5;

/** An owner counts as online for this time after posting, editing or bumping the ad. */
export const ONLINE_WINDOW_ms = 24 * 60 * 60_000;

/** Time during which a request with a repeated `Idempotency-Key` receives the stored response of the first request. */
export const IDEMPOTENCY_KEY_LIFETIME_ms = 24 * 60 * 60_000;

/**
 * Maximum time that a read waits until its read models have handled all events up to the requested position in the
 * event log.
 */
export const POSITION_WAIT_MAX_ms = 2_000;

/**
 * Maximum time that a read by id, which has found nothing, waits until its read models have handled all events that
 * were in the event log at the time of the request.
 */
export const UNKNOWN_ID_WAIT_MAX_ms = 1_000;

export const LIST_LIMIT_DEFAULT = 24;
export const LIST_LIMIT_MAX = 100;

/** Widths of the variants of a photo. Variants never exceed the width of the uploaded photo. */
export const PHOTO_WIDTHS_px = [320, 640, 1600] as const;
export const PHOTO_FORMATS = ['avif', 'webp', 'jpg'] as const;
/**
 * Maximum size of a decoded picture in memory. With 8 bits per color, it permits 50 megapixels with
 * transparency, and about 67 without. A larger picture is rejected before it is decoded.
 */
export const DECODED_PHOTO_MAX_bytes = 200_000_000;

export const VERIFICATION_RESEND_WAIT_ms = 60_000;
export const SESSION_LIFETIME_ms = 30 * 24 * 60 * 60_000;
/** A session that is not used for this time ends. */
export const SESSION_IDLE_TIMEOUT_ms = 14 * 24 * 60 * 60_000;
/** The sessions of staff end earlier: this time after the last use, or after the password was last entered. */
export const STAFF_IDLE_TIMEOUT_ms = 60 * 60_000;
export const STAFF_SESSION_LIFETIME_ms = 12 * 60 * 60_000;
/** An admin must have entered the password within this time to change something in the admin panel. */
export const STAFF_CONFIRMATION_LIFETIME_ms = 30 * 60_000;
/** The same time for the operations of moderators. It is longer, so that they can work through a queue. */
export const MODERATOR_CONFIRMATION_LIFETIME_ms = 4 * 60 * 60_000;
/** A ticket opens the live channel once within this time. */
export const LIVE_TICKET_LIFETIME_ms = 60_000;

/** The ids of ads that never appear in a list, unless the configuration contains other ids. */
export const UNLISTED_AD_IDS_DEFAULT: readonly string[] = ['6'];

/** Time after posting during which the author of a community post may edit its text. */
export const EDIT_WINDOW_ms = 15 * 60_000;
/** Waiting time after the sign-up before an account may post in the community. */
export const NEW_ACCOUNT_WAIT_ms = 10 * 60_000;
/** Time after the sign-up during which an account counts as new and has lower limits. */
export const NEW_ACCOUNT_PERIOD_ms = 7 * 24 * 60 * 60_000;
export const POST_LINKS_MAX = { newAccount: 1, account: 10 } as const;
export const POSTS_PER_HOUR = { newAccount: 5, account: 60 } as const;
/** Time during which posting the same text again counts as a duplicate. */
export const DUPLICATE_WINDOW_ms = 24 * 60 * 60_000;
/**
 * Minimum length of a text that counts as a duplicate of another author's text. Different authors may always post the
 * same shorter text, such as "Thank you".
 */
export const SHARED_DUPLICATE_MIN_characters = 40;
export const MAX_REPLIES = 50_000;
export const MAX_FOLLOWS = 500;
export const MAX_HELPFUL_MARKS = 5_000;
export const POSTS_PAGE_SIZE = { default: 50, max: 100 } as const;
/**
 * Minimum time between two mails to the same person about replies in the same thread. The limit prevents a busy thread
 * from filling the mailbox.
 */
export const REPLY_MAIL_INTERVAL_ms = 10 * 60_000;
/**
 * Maximum age of a reply in a thread that is still mailed to followers of the thread. After a longer outage, older
 * replies cause no mails.
 */
export const REPLY_MAIL_LIFETIME_ms = 24 * 60 * 60_000;
/**
 * The maximum time between a decision or a change of an account and the first attempt to mail it. A later job is the
 * repetition of an earlier one, for example after a restore, and sends no mail about the past.
 */
export const NOTICE_MAIL_LIFETIME_ms = 7 * 24 * 60 * 60_000;
/** Hour (UTC) at which the daily digests are sent. */
export const DIGEST_HOUR_utc = 8;
/** Reading speed from which the reading time of an article is estimated. */
export const READING_words_per_minute = 220;

/** Maximum number of recorded consents of one account or visitor. */
export const MAX_CONSENTS = 100;
