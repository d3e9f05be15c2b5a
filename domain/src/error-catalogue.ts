import type { AdPlace } from './live-topics.ts';

/**
 * The error catalogue with every error response of the server. Each error code has an HTTP status and
 * a message for people. A placeholder in a message, such as `{max}`, is replaced by the parameter of the error with
 * that name. A test checks that every code is used.
 */
export const ERRORS = {
  // Errors of requests in general
  INVALID_REQUEST: { status: 400, message: 'HTTP 400' },
  REQUIRED_FIELDS: { status: 400, message: 'Please fill in all required fields' },
  INVALID_FIELDS: { status: 400, message: '{reason}' },
  TOO_MANY_HEADERS: { status: 431, message: 'The request has too many headers' },
  INVALID_JSON: { status: 400, message: 'The request body is not valid JSON' },
  BODY_TOO_LARGE: { status: 413, message: 'The request body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The request body must be JSON' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'HTTP 405' },
  NOT_FOUND: { status: 404, message: 'HTTP 404' },
  CONFLICT: { status: 409, message: 'Someone else changed this at the same time. Please try again.' },
  STALE: { status: 412, message: 'This has changed since you opened it. Reload the page and try again.' },
  INVALID_IDEMPOTENCY_KEY: {
    status: 400,
    message: 'The Idempotency-Key must have 1 to 128 characters: letters, digits and . _ : -',
  },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'This Idempotency-Key was already used for a different request' },
  IDEMPOTENCY_IN_PROGRESS: {
    status: 409,
    message: 'The first request with this Idempotency-Key is still being processed. Please try again.',
  },
  IDEMPOTENCY_ANSWER_GONE: {
    status: 409,
    message: 'This request was already completed. Reload the page to see the result.',
  },
  RATE_LIMITED: { status: 429, message: 'Too many requests. Please try again in {left}.' },
  UNAVAILABLE: { status: 503, message: 'The service is busy. Please try again.' },
  DATA_UNREADABLE: {
    status: 500,
    message: 'Part of the stored data cannot be read at the moment, so nothing was changed. An admin must repair it.',
  },
  INTERNAL: { status: 500, message: 'HTTP 500' },

  // Errors about sessions and accounts
  AUTHENTICATION_REQUIRED: { status: 401, message: 'Authentication required' },
  TOKEN_VERIFICATION_FAILED: { status: 401, message: 'Token verification failed' },
  LOGIN_FAILED: { status: 401, message: 'Login failed' },
  LOGIN_DELAYED: { status: 429, message: 'Too many failed logins. Please try again in {left}.' },
  LOGIN_CODE_REQUIRED: { status: 401, message: 'Please enter the code from your e-mail or authenticator app' },
  TWO_STEP_CODE_REQUIRED: { status: 401, message: 'Please enter the code from your authenticator app' },
  TWO_STEP_FAILED: { status: 401, message: 'Login failed: this code is wrong or was already used' },
  TWO_STEP_CODE_WRONG: { status: 400, message: 'This code is wrong or was already used' },
  TWO_STEP_IS_ON: { status: 409, message: 'Two-step login is already on' },
  TWO_STEP_NOT_BEGUN: { status: 409, message: 'Please start setting up two-step login again' },
  TWO_STEP_NOT_SET_UP: { status: 403, message: 'Please set up two-step login first' },
  CONFIRMATION_REQUIRED: { status: 403, message: 'Please enter your password again to continue' },
  SESSION_NOT_FOUND: { status: 404, message: 'This session has already ended' },
  WRONG_PASSWORD: { status: 400, message: 'The current password is incorrect' },
  RESET_FAILED: { status: 400, message: 'Password reset failed' },
  PROFILE_REQUIRED: { status: 422, message: 'Please enter your account type, display name and age' },
  USER_NOT_FOUND: { status: 404, message: 'User not found' },
  OWN_ACCOUNT: { status: 409, message: 'Admins cannot delete their own account' },
  OTHER_EMAIL: { status: 409, message: 'This is not the e-mail address of the account' },
  OWN_ROLE: { status: 409, message: 'Admins cannot change their own role' },
  ONLY_PROVIDERS_VERIFY: { status: 403, message: 'Only providers can request verification' },
  IDENTITY_VERIFIED: { status: 409, message: 'You are already verified' },
  IDENTITY_CHECK_OPEN: { status: 409, message: 'Your request is being reviewed' },
  IDENTITY_CHECK_NOT_FOUND: { status: 404, message: 'This request is no longer open' },
  IDENTITY_FILE_TOO_LARGE: { status: 413, message: 'Each picture must be 10 MB or smaller' },
  TOO_MANY_IDENTITY_FILES: { status: 400, message: 'Please choose one or two pictures' },
  OWN_IDENTITY: { status: 409, message: 'Admins cannot verify themselves' },
  ONLY_ADMINS: { status: 403, message: 'Only admins can do this' },
  ONLY_MODERATORS: { status: 403, message: 'Only moderators can do this' },
  LEGAL_HOLD: {
    status: 409,
    message: 'The law requires us to keep the data of this account for now. Please contact us.',
  },
  ERASURE_UNDER_WAY: { status: 409, message: 'This account is already being erased' },
  ERASURE_NOT_FOUND: { status: 404, message: 'No receipt has this number' },
  UNDER_AGE: { status: 400, message: 'You must be at least 18 years old' },
  NO_USER_EMAIL: { status: 400, message: 'No user email found' },
  VERIFICATION_FAILED: { status: 400, message: 'Verification failed' },
  VERIFICATION_REQUIRED: { status: 403, message: 'Please verify your e-mail first' },
  RESEND_TOO_SOON: { status: 429, message: 'Failed to resend verification code' },

  // Errors about ads
  CONTACT_TOKEN_INVALID: { status: 403, message: 'Please load the ad again to view its contact details' },
  CONTACT_LIMIT_REACHED: {
    status: 429,
    message: 'You have viewed the contact details of many ads. You can view more in {minutes} min.',
  },
  AD_NOT_FOUND: { status: 404, message: 'Ad not found' },
  ONLY_PROVIDERS_POST: { status: 403, message: 'Only providers can post ads' },
  ONLY_PROVIDERS_BUMP: { status: 403, message: 'Only providers can bump ads' },
  ONLY_OWNER: { status: 403, message: 'Only the owner can change this ad' },
  ONE_ACTIVE_AD: {
    status: 409,
    message: 'You can only have one active ad. Please delete your existing ad first or edit it instead.',
  },
  BUMP_COOLDOWN: { status: 429, message: 'You can bump your ad again in {left}' },
  ONLY_CLIENTS_FAVORITE: { status: 403, message: 'Only clients can add favorites' },
  TOO_MANY_FAVORITES: { status: 409, message: 'You can keep at most {max} favorites' },
  ONLY_CLIENTS_REVIEW: { status: 403, message: 'Only clients with a verified e-mail can review ads' },
  OWN_AD_REVIEW: { status: 403, message: 'You cannot review your own ad' },
  ALREADY_REVIEWED: { status: 409, message: 'You have already reviewed this ad' },
  REVIEW_NOT_FOUND: { status: 404, message: 'Review not found' },
  REVIEW_REMOVED: { status: 409, message: 'A moderator has removed your review' },
  ONLY_REVIEWER: { status: 403, message: 'Only the author can change this review' },
  VIDEO_NOT_YOURS: { status: 400, message: 'Use the video URL that the upload returned' },
  PHOTO_NOT_YOURS: { status: 400, message: 'Use the photo URL that the upload returned' },

  // Errors about threads and posts of the community
  THREAD_NOT_FOUND: { status: 404, message: 'Thread not found' },
  POST_NOT_FOUND: { status: 404, message: 'Post not found' },
  THREAD_LOCKED: { status: 409, message: 'This thread is closed' },
  THREAD_FULL: { status: 409, message: 'This thread is full. Please start a new one.' },
  ONLY_AUTHOR: { status: 403, message: 'Only the author can change this post' },
  POST_HIDDEN: { status: 409, message: 'A moderator has hidden this post' },
  EDIT_WINDOW_OVER: { status: 409, message: 'Posts can be edited for 15 minutes' },
  ACCOUNT_TOO_NEW: {
    status: 403,
    message: 'New accounts can post after 10 minutes. Please try again in {minutes} min.',
  },
  TOO_MANY_LINKS: { status: 400, message: 'Too many links. The maximum is {max}.' },
  TOO_MANY_POSTS: { status: 429, message: 'You can post {max} times an hour. Please try again in {minutes} min.' },
  DUPLICATE_TEXT: { status: 409, message: 'This text was already posted' },
  OWN_POST: { status: 403, message: 'You cannot mark your own post as helpful' },
  TOO_MANY_MARKS: { status: 409, message: 'You can mark at most {max} posts as helpful' },
  TOO_MANY_FOLLOWS: { status: 409, message: 'You can follow at most {max} threads' },
  UNSUBSCRIBE_FAILED: { status: 400, message: 'This link is no longer valid' },

  // Errors about reports on content
  SUBJECT_NOT_FOUND: { status: 404, message: 'This content cannot be reported' },
  REPORT_NOT_FOUND: { status: 404, message: 'No report has this reference' },

  // Errors about moderation cases, decisions and appeals
  AD_HIDDEN: { status: 409, message: 'A moderator has hidden this ad' },
  CASE_NOT_FOUND: { status: 404, message: 'Case not found' },
  CASE_CLAIMED: { status: 409, message: 'Another moderator is working on this case' },
  CASE_NOT_CLAIMED: { status: 409, message: 'Please claim this case first' },
  NOTHING_TO_DECIDE: { status: 409, message: 'This case has already been decided' },
  CONTENT_CHANGED: {
    status: 409,
    message: 'The content has changed. Please read the current version and decide again.',
  },
  WRONG_OUTCOME: { status: 400, message: 'This decision is not possible for this case' },
  RULE_HIDES_CONTENT: {
    status: 400,
    message: 'Under this rule, content must not stay online. Please hide or remove all of it.',
  },
  PHOTO_NOT_IN_AD: { status: 400, message: 'Please choose a photo of this ad' },
  PHOTO_IS_HIDDEN: {
    status: 409,
    message: 'Visitors do not see this photo any more, because its own case hides it. Please choose another photo.',
  },
  OWN_CONTENT: { status: 403, message: 'You cannot decide about your own content' },
  ANOTHER_MODERATOR: { status: 403, message: 'Another moderator has to decide this appeal' },
  APPEAL_PENDING: { status: 409, message: 'The appeal against this decision must be decided first' },
  NO_APPEAL: { status: 409, message: 'This case has no open appeal' },
  DECISION_NOT_FOUND: { status: 404, message: 'Decision not found' },
  NOT_APPEALABLE: { status: 409, message: 'This decision cannot be appealed' },
  ALREADY_APPEALED: { status: 409, message: 'You have already appealed this decision' },
  APPEAL_OVER: { status: 409, message: 'The deadline for an appeal has passed' },
  NOT_RESPONDABLE: { status: 409, message: 'A response to this decision is not possible' },
  ALREADY_RESPONDED: { status: 409, message: 'You have already responded to this decision' },

  // Errors about removal requests
  REMOVAL_NOT_FOUND: { status: 404, message: 'No removal request has this link' },
  REMOVAL_CLOSED: { status: 409, message: 'This removal request is closed' },
  REMOVAL_UNDECIDED: { status: 409, message: 'Please decide the removal request about this content first' },
  TOO_MANY_NOTES: { status: 409, message: 'You can add at most {max} texts' },

  // Errors about projections and their rebuilds
  PROJECTION_NOT_FOUND: { status: 404, message: 'Projection not found' },
  PARKED_EVENT_NOT_FOUND: { status: 404, message: 'This event is not excluded from the projection' },
  REBUILD_UNDER_WAY: { status: 409, message: 'This projection is already being rebuilt' },
  REBUILD_NOT_POSSIBLE: { status: 409, message: 'No rebuild is in a state that allows this' },
  NO_PREVIOUS_VERSION: { status: 409, message: 'No earlier version is available' },
  TOO_MANY_SKIPPED: { status: 409, message: 'At most {max} events can be excluded from a projection' },

  // Errors about articles of the blog
  ARTICLE_NOT_FOUND: { status: 404, message: 'Article not found' },
  ARTICLE_IS_PUBLISHED: { status: 409, message: 'This article is already published. Correct it or withdraw it.' },
  ARTICLE_NOT_PUBLISHED: { status: 409, message: 'This article is not published' },
  SLUG_TAKEN: { status: 409, message: 'Another article already uses this address' },
  COVER_NOT_YOURS: { status: 400, message: 'Use the cover URL that the upload returned' },

  // Errors about background jobs and hiding rules
  JOB_NOT_FOUND: { status: 404, message: 'Job not found' },
  HIDING_RULE_NOT_FOUND: { status: 404, message: 'Hiding rule not found' },
  HIDING_RULE_ON: { status: 409, message: 'Turn the rule off first' },
  JOB_UNDER_WAY: { status: 409, message: 'This job is running' },

  // Errors about uploads of photos and videos
  NO_PHOTO: { status: 400, message: 'Please select an image file (JPG, PNG, GIF)' },
  NOT_AN_IMAGE: { status: 400, message: 'Please select an image file (JPG, PNG, GIF)' },
  IMAGE_DAMAGED: { status: 400, message: 'This picture is damaged and cannot be opened. Please choose another file' },
  TOO_MANY_PIXELS: {
    status: 400,
    message:
      'This picture has too many pixels. Please choose a smaller one, for example a JPEG with at most 50 megapixels',
  },
  IMAGE_TOO_LARGE: { status: 413, message: 'Image file size must be less than 100MB' },
  TOO_MANY_PHOTOS: { status: 400, message: 'Maximum 5 photos allowed' },
  NO_VIDEO: { status: 400, message: 'Please select a video file (MP4, MOV, AVI)' },
  NOT_A_VIDEO: { status: 400, message: 'Please select a video file (MP4, MOV, AVI)' },
  VIDEO_DAMAGED: { status: 400, message: 'This video is damaged and cannot be played. Please choose another file' },
  VIDEO_NOT_SUPPORTED: {
    status: 400,
    message: 'This video has an unknown format. Please save it as MP4 with H.264 and upload it again',
  },
  VIDEO_TOO_LARGE: { status: 413, message: 'Video file size must be less than 100MB' },
  VIDEO_TOO_LONG: { status: 400, message: 'Video must be at most 20 seconds' },
  /** An edit list hides a part of the video that cannot be removed without an encoder (decision 0096). */
  VIDEO_TRIMMED: {
    status: 400,
    message:
      'This video was trimmed and still contains the part that was cut away. ' +
      'Please save it as a new video and upload that one',
  },
  ONE_VIDEO_ONLY: { status: 400, message: 'Only one video can be uploaded at a time' },
  /** The picture is known to be illegal. The message does not reveal this to the uploader (decision 0047). */
  PHOTO_NOT_USABLE: { status: 400, message: 'This photo cannot be used' },
  /** The picture is similar to one that was taken down. */
  PHOTO_WAS_REMOVED: { status: 400, message: 'This photo was removed from this site and cannot be uploaded again' },
  /** The video is a copy of one that was taken down. */
  VIDEO_WAS_REMOVED: { status: 400, message: 'This video was removed from this site and cannot be uploaded again' },
  UPLOAD_BROKEN_OFF: { status: 400, message: 'Upload failed: the file is incomplete' },
  FILE_NOT_READABLE: {
    status: 400,
    message: 'This file could not be read. Please try again, or choose another file',
  },
  TUS_VERSION_NOT_SUPPORTED: {
    status: 412,
    message: 'Resumable uploads need the header Tus-Resumable with the value 1.0.0',
  },
  UPLOADS_BUSY: { status: 503, message: 'Upload in progress...' },
} as const;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorParameters = Readonly<Record<string, string | number>>;

/** Returns the message of an error code. The values of `parameters` replace the names in braces. */
export function errorMessage(code: ErrorCode, parameters: ErrorParameters = {}): string {
  return ERRORS[code].message.replaceAll(/\{(\w+)\}/gu, (whole, name: string) => String(parameters[name] ?? whole));
}

/** The error of a command that a business rule rejects. The command then writes no events. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  constructor(
    readonly code: ErrorCode,
    readonly parameters: ErrorParameters = {},
    /** Seconds after which the client should retry, or null. */
    readonly retryAfter_s: number | null = null,
    /** Error messages for forms, by field name. Null if the error does not concern specific fields. */
    readonly fields: Readonly<Record<string, string>> | null = null,
    /** The last place and category of an ad that is no longer online, so that a page can offer similar ads. */
    readonly formerAd: AdPlace | null = null,
  ) {
    super(errorMessage(code, parameters));
  }
}
