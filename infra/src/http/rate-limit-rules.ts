import type { ErrorCode } from '@alpenglow/domain';
import type { MatchedRequest, RateLimitClass } from '@alpenglow/domain/api';

/**
 * A limit on the number of requests in a time window. It is high enough for the normal use by a person. It is
 * low enough to prevent guessing of codes, unwanted mail and the collection of contact details.
 */
export interface Limit {
  /** The name of the limit. It is a part of the key under which requests are counted. */
  readonly name: string;
  /**
   * The requests that are counted together. `address`: the requests of one network address. `account`: the requests of
   * one signed-in account, or of one network address if the client is not signed in. `email`: the requests of one
   * network address with the same e-mail address in the body. A browser that has logged in to the account of this
   * e-mail address is counted separately. A /48 network of IPv6 also has a counter, with a higher limit.
   */
  readonly per: 'address' | 'account' | 'email';
  readonly max: number;
  /**
   * The limit on requests with the same e-mail address from all network addresses together. Without it, such requests
   * are not limited together.
   */
  readonly ofAllNetworks?: LimitOfAllNetworks;
  readonly window_s: number;
  /** The error of requests above the limit. The default is RATE_LIMITED. */
  readonly error?: Extract<ErrorCode, 'CONTACT_LIMIT_REACHED'>;
  /**
   * True if requests are rejected with 503 while the count is unknown, because the shared counts cannot be reached.
   * Such limits protect people. `after-first`: a process accepts only the first request of each person. Without it,
   * an unknown count starts at 0.
   */
  readonly isStrict?: true | 'after-first';
  /** True if operators are notified when a client reaches the limit, because people rarely do (docs/operations.md). */
  readonly isAlarm?: boolean;
}

/**
 * A limit on the requests of all network addresses together, in two steps. A low maximum would let a client with a few
 * network addresses block another person, and a high one alone would let it send much unwanted mail.
 */
interface LimitOfAllNetworks {
  /** The number of requests after which `maxOfNetwork` replaces the limit of one network address. */
  readonly free: number;
  /** The maximum of one network address after `free` requests. The owner uses another network and stays below it. */
  readonly maxOfNetwork: number;
  readonly max: number;
}

const MINUTE_s = 60;
const HOUR_s = 60 * MINUTE_s;
const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** The limit on requests for the phone number and the social links of an ad. */
const CONTACT_DETAILS = {
  max: 30,
  window_s: HOUR_s,
  error: 'CONTACT_LIMIT_REACHED',
  isStrict: true,
  isAlarm: true,
} as const;

/**
 * The limit on mails to one e-mail address (decision 0056). With n networks, a client can cause 12 + 2n mails in a time
 * window, and 100 at most.
 */
const MAILS = {
  per: 'email',
  max: 6,
  ofAllNetworks: { free: 12, maxOfNetwork: 2, max: 100 },
  window_s: 15 * MINUTE_s,
  isStrict: true,
} as const;

/** The rate limits by name. The declaration of an API operation refers to these names. */
const LIMITS: Readonly<Record<RateLimitClass, Omit<Limit, 'name'>>> = {
  // This limit applies in addition to the delay after failed logins (login-delay.ts).
  login: { per: 'address', max: 60, window_s: 15 * MINUTE_s, isStrict: true },
  'sign-up': { per: 'address', max: 60, window_s: HOUR_s, isStrict: true },
  // Every sign-up sends a mail to the owner of the address (decision 0055).
  'sign-up-mails': MAILS,
  codes: { per: 'address', max: 60, window_s: HOUR_s, isStrict: true },
  // A code can only be entered by the client that requested it, five times at most. The wrong codes of other
  // clients are never compared with a code, so there is no limit for all networks together.
  'code-guesses': { per: 'email', max: 20, window_s: 15 * MINUTE_s, isStrict: true },
  'code-mails': MAILS,
  // Prevents the guessing of passwords, because a request for an erasure must contain the password.
  erasure: { per: 'account', max: 10, window_s: HOUR_s, isStrict: true },
  // Prevents the guessing of the receipt numbers of erasures.
  receipts: { per: 'address', max: 120, window_s: MINUTE_s, isStrict: true },
  'password-change': { per: 'account', max: 10, window_s: HOUR_s, isStrict: true },
  // Prevents the guessing of two-step codes, and limits the number of secrets that are created but never confirmed.
  'two-step': { per: 'account', max: 20, window_s: HOUR_s, isStrict: true },
  // The pictures in one request have up to 20 MB in total, and decoding them takes time.
  identity: { per: 'account', max: 10, window_s: HOUR_s },
  sync: { per: 'address', max: 10, window_s: MINUTE_s },
  'sync-status': { per: 'address', max: 120, window_s: MINUTE_s },
  // The response contains a token for the contact details of the ad.
  'ad-details': { per: 'address', max: 240, window_s: 10 * MINUTE_s },
  // The limit prevents a client from raising the views of an ad by changing its user agent.
  'ad-views': { per: 'address', max: 240, window_s: 10 * MINUTE_s },
  // The response contains the phone number and social links of an ad. The limits prevent their mass collection (T-13).
  'contact-details': { per: 'address', ...CONTACT_DETAILS },
  'contact-details-of-account': { per: 'account', ...CONTACT_DETAILS },
  // A video has up to 100 MB. The uploaded file is stored for a day even if no ad shows it.
  videos: { per: 'account', max: 20, window_s: HOUR_s },
  'videos-of-network': { per: 'address', max: 60, window_s: HOUR_s },
  uploads: { per: 'account', max: 100, window_s: HOUR_s },
  // An ad has five photos and a video, so 50 people in one network can post an ad in an hour.
  'uploads-of-network': { per: 'address', max: 300, window_s: HOUR_s },
  reviews: { per: 'account', max: 20, window_s: HOUR_s },
  // Rejected posts also count for this limit, but not for the hourly limit of posts in the domain.
  posts: { per: 'account', max: 120, window_s: HOUR_s },
  // Each edit stores the previous text, and a request for the edit history renders all stored texts.
  edits: { per: 'account', max: 30, window_s: HOUR_s },
  // Marking a post as helpful or following a thread adds an event to a stream, and every command has to read its whole
  // stream.
  marks: { per: 'account', max: 300, window_s: HOUR_s },
  previews: { per: 'account', max: 60, window_s: MINUTE_s },
  // Each data export reads a large part of all events.
  exports: { per: 'account', max: 6, window_s: 24 * HOUR_s },
  // The client chooses the visitor id of a consent, and each new id creates an event stream.
  consents: { per: 'address', max: 60, window_s: HOUR_s },
  // A page sends a few reports. Many visitors may share a network.
  'front-end-reports': { per: 'address', max: 120, window_s: MINUTE_s },
  // A report needs no login, and for some reasons the reported content is hidden immediately. While the
  // counts are unknown, a process accepts the first report of each person.
  reports: { per: 'address', max: 10, window_s: HOUR_s, isStrict: 'after-first' },
  'reports-of-day': { per: 'address', max: 30, window_s: 24 * HOUR_s, isStrict: 'after-first' },
};

/** The names of the limits that raise an alarm when a client reaches them. */
export const ALARM_LIMITS: readonly string[] = Object.entries(LIMITS).flatMap(([name, { isAlarm }]) =>
  isAlarm === true ? [name] : [],
);

/** The limit on all write requests below `/api`, except below `/api/admin`. */
const ALL_WRITES: Limit = { name: 'writes', per: 'account', max: 120, window_s: MINUTE_s };
/** The limit on all requests below `/api/admin`. */
const ALL_ADMIN: Limit = { name: 'admin', per: 'account', max: 600, window_s: MINUTE_s };

const ADMIN = /^\/admin(?:\/|$)/iu;

/**
 * Returns the rate limits that apply to a request. The general limits apply even if the request matches no operation.
 *
 * @param path the path of the request below `/api`
 */
export function findLimits(match: MatchedRequest | null, method: string, path: string): readonly Limit[] {
  const declared = match?.operation.rateLimits.map((name) => ({ name, ...LIMITS[name] })) ?? [];
  // These reports are sent without a session. They must not use up the writes of other visitors in the same network.
  if (match?.operation.id === 'reportFrontEnds') return declared;
  if (ADMIN.test(path)) return [...declared, ALL_ADMIN];
  return WRITES.has(method) ? [...declared, ALL_WRITES] : declared;
}

export const isLogin = (match: MatchedRequest | null): boolean => match?.operation.id === 'logIn';

/** Returns true if a rate limit of the request counts by the e-mail address in the body. */
export const needsEmail = (match: MatchedRequest | null): boolean =>
  isLogin(match) || (match?.operation.rateLimits.some((name) => LIMITS[name].per === 'email') ?? false);

/**
 * The limit on read requests. Each process counts separately, because updating a shared counter takes longer than most
 * reads.
 */
export const READ_LIMIT = { max: 2_000, window_s: 10 } as const;

/**
 * The parameters of the delay after failed logins with the same e-mail address. The first failures cause no delay. Each
 * further failure doubles the delay. `freeFailures` applies to the failures from one network address, or of one known
 * browser. `freeFailuresOfAllNetworks` is the number of all failures together after which a login also requires a
 * mailed code.
 */
export const LOGIN_DELAY = {
  freeFailures: 5,
  freeFailuresOfAllNetworks: 100,
  first_s: 2,
  max_s: 300,
  window_s: HOUR_s,
} as const;
