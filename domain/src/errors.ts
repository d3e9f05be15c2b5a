/**
 * The error catalogue (specification, sections 5 and 8): every way the server refuses, with its HTTP status and quoted text.
 * `{name}` in a text is filled from the error's parameters. A test holds every code against the places that use it.
 */
export const ERRORS = {
  // Requests
  INVALID_REQUEST: { status: 400, message: 'HTTP 400' },
  REQUIRED_FIELDS: { status: 400, message: 'Please fill in all required fields' },
  INVALID_FIELDS: { status: 400, message: '{reason}' },
  INVALID_JSON: { status: 400, message: 'The request body is not valid JSON' },
  BODY_TOO_LARGE: { status: 413, message: 'The request body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The request body must be JSON' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'HTTP 405' },
  NOT_FOUND: { status: 404, message: 'HTTP 404' },
  CONFLICT: { status: 409, message: 'Somebody else changed this at the same time. Please try again.' },
  STALE: { status: 412, message: 'This has changed since you loaded it. Please reload and try again.' },
  INVALID_IDEMPOTENCY_KEY: { status: 400, message: 'An Idempotency-Key has 1 to 128 letters, digits and . _ : -' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'This Idempotency-Key belongs to another request' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, message: 'The first request with this Idempotency-Key is still under way. Please try again.' },
  RATE_LIMITED: { status: 429, message: 'Too many requests. Please try again in {seconds} seconds.' },
  UNAVAILABLE: { status: 503, message: 'The service is busy. Please try again.' },
  INTERNAL: { status: 500, message: 'HTTP 500' },

  // Sessions and accounts
  AUTHENTICATION_REQUIRED: { status: 401, message: 'Authentication required' },
  TOKEN_VERIFICATION_FAILED: { status: 401, message: 'Token verification failed' },
  LOGIN_FAILED: { status: 401, message: 'Login failed' },
  LOGIN_DELAYED: { status: 429, message: 'Too many failed logins. Please try again in {seconds} seconds.' },
  WRONG_PASSWORD: { status: 400, message: 'The current password is not right' },
  RESET_FAILED: { status: 400, message: 'Password reset failed' },
  USER_NOT_FOUND: { status: 404, message: 'User not found' },
  OWN_ACCOUNT: { status: 409, message: 'Admins cannot delete their own account' },
  ONLY_ADMINS: { status: 403, message: 'Only admins can do this' },
  UNDER_AGE: { status: 400, message: 'You must be at least 18 years old' },
  NO_USER_EMAIL: { status: 400, message: 'No user email found' },
  VERIFICATION_FAILED: { status: 400, message: 'Verification failed' },
  VERIFICATION_REQUIRED: { status: 403, message: 'Please verify your e-mail first' },
  RESEND_TOO_SOON: { status: 429, message: 'Failed to resend verification code' },

  // Ads
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
  VIDEO_NOT_YOURS: { status: 400, message: 'A video must be the address its upload answered' },
  PHOTO_NOT_YOURS: { status: 400, message: 'A photo must be the address its upload answered' },

  // Uploads
  NO_PHOTO: { status: 400, message: 'Please select an image file (JPG, PNG, GIF)' },
  NOT_AN_IMAGE: { status: 400, message: 'Please select an image file (JPG, PNG, GIF)' },
  IMAGE_TOO_LARGE: { status: 413, message: 'Image file size must be less than 100MB' },
  TOO_MANY_PHOTOS: { status: 400, message: 'Maximum 5 photos allowed' },
  NO_VIDEO: { status: 400, message: 'Please select a video file (MP4, MOV, AVI)' },
  NOT_A_VIDEO: { status: 400, message: 'Please select a video file (MP4, MOV, AVI)' },
  VIDEO_TOO_LARGE: { status: 413, message: 'Video file size must be less than 100MB' },
  VIDEO_TOO_LONG: { status: 400, message: 'Video must be at most 20 seconds' },
  ONE_VIDEO_ONLY: { status: 400, message: 'Only one video can be uploaded at a time' },
  UPLOAD_BROKEN_OFF: { status: 400, message: 'Upload failed: the file did not arrive whole' },
  UPLOADS_BUSY: { status: 503, message: 'Upload in progress...' },
} as const;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorParameters = Readonly<Record<string, string | number>>;

/** The catalogue's text for a code, with its `{parameters}` filled in. */
export function errorMessage(code: ErrorCode, parameters: ErrorParameters = {}): string {
  return ERRORS[code].message.replaceAll(/\{(\w+)\}/gu, (whole, name: string) => String(parameters[name] ?? whole));
}

/** A refusal by a rule. Nothing was written. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  constructor(
    readonly code: ErrorCode,
    readonly parameters: ErrorParameters = {},
    /** Seconds after which a retry makes sense, where there is such a time. */
    readonly retryAfter_s: number | null = null,
    /** Field name → what is wrong with it, for forms. */
    readonly fields: Readonly<Record<string, string>> | null = null,
  ) {
    super(errorMessage(code, parameters));
  }
}
