import { CATEGORIES, SOCIAL_NETWORK_NAMES, SOCIAL_NETWORKS } from '@alpenglow/domain/contracts';
import { translateOr, type useText } from '../text.ts';

type T = ReturnType<typeof useText>;

/**
 * The event types by which the history of an ad, an account or a thread can be filtered. The types are in the order in
 * which they usually occur.
 */
export const EVENT_TYPES = {
  ad: [
    'AdPosted',
    'AdUpdated',
    'AdBumped',
    'AdReviewed',
    'AdReviewEdited',
    'AdReviewDeleted',
    'AdReviewRemoved',
    'AdFeatured',
    'AdHidden',
    'AdHoldLifted',
    'AdRestored',
    'AdDeleted',
  ],
  account: [
    'AccountRegistered',
    'SignUpRepeated',
    'EmailVerificationIssued',
    'EmailVerificationFailed',
    'EmailVerificationCleared',
    'EmailVerified',
    'ProfileUpdated',
    'PasswordResetIssued',
    'PasswordResetFailed',
    'LoginCodeIssued',
    'LoginCodeFailed',
    'LoginCodeUsed',
    'PasswordChanged',
    'PasswordRehashed',
    'AccountVerifiedByAdmin',
    'TwoStepEnabled',
    'TwoStepDisabled',
    'RecoveryCodeUsed',
    'RoleGranted',
    'RoleWithdrawn',
    'AccountClosed',
  ],
  thread: [
    'ThreadStarted',
    'ReplyPosted',
    'PostEdited',
    'PostDeleted',
    'PostHidden',
    'PostRestored',
    'ThreadLocked',
    'ThreadUnlocked',
    'ThreadPinned',
    'ThreadUnpinned',
    'ThreadMoved',
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Returns the name of an event type, or the type itself if it has no translation. */
export function formatEventName(t: T, type: string): string {
  return translateOr(t, `event.${type}`, type);
}

/**
 * Returns the name of a field that is not nested, also of a social network. The names of networks are the same in every
 * language, except that of a website.
 */
export function formatPlainFieldName(t: T, field: string): string {
  const network = SOCIAL_NETWORKS.find((name) => name === field);
  return translateOr(t, `field.${field}`, network === undefined ? field : SOCIAL_NETWORK_NAMES[network]);
}

/**
 * Returns the name of a field. The name of a nested field includes its parent, such as `Post 3, status`. A nested field
 * can have another name than a field of the same id in an ad, e.g. `posts.3.body`.
 */
export function formatFieldName(t: T, field: string): string {
  const [first = '', ...rest] = field.split('.');
  const name = translateOr(t, `field.${first}`, first);
  if (rest.length === 0) return name;
  const last = rest.at(-1) ?? '';
  const lastName = translateOr(t, `field.${first}.${last}`, formatPlainFieldName(t, last));
  return rest.length === 1 ? `${name} · ${lastName}` : `${name} ${rest.slice(0, -1).join('.')} · ${lastName}`;
}

/**
 * Formats a value for the reader. Times and numbers are formatted in the locale, booleans as yes or no, and missing
 * values as a dash.
 */
export function formatValue(
  t: T,
  locale: string,
  value: string | number | boolean | null | readonly string[] | undefined,
): string {
  if (value === null || value === undefined || value === '') return t('history.nothing');
  if (typeof value === 'boolean') return t(value ? 'table.yes' : 'table.no');
  if (typeof value === 'object') return value.length === 0 ? t('history.nothing') : value.join(', ');
  if (typeof value === 'string' && ISO_TIME.test(value)) return formatTime(locale, value);
  if (typeof value === 'number') return value.toLocaleString(locale);
  const category = CATEGORIES.find((known) => known === value);
  return category ? t(`categories.${category}`) : translateOr(t, `value.${value}`, value);
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;

/** Formats a time to the second, in the reader's time zone. */
export function formatTime(locale: string, at: string): string {
  return new Date(at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' });
}
