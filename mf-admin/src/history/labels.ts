import { CATEGORIES } from '@alpenglow/domain/contracts';
import en from './locales/en.json';
import type { useText } from './text.ts';

type T = ReturnType<typeof useText>;
type TextId = keyof typeof en;

/** Types of events that can be looked for, by what has them, in the order of a life. */
export const EVENT_TYPES = {
  ad: [
    'AdPosted',
    'AdUpdated',
    'AdBumped',
    'AdReviewed',
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
    'PasswordChanged',
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

/** What an event is called; one without a name here by its type. */
export function eventName(t: T, type: string): string {
  return textOr(t, `event.${type}`, type);
}

/** What a field is called: its own name, and in brackets which part of it, such as the number of a post. */
export function fieldName(t: T, field: string): string {
  const [first = '', ...rest] = field.split('.');
  const name = textOr(t, `field.${first}`, first);
  if (rest.length === 0) return name;
  const last = rest.at(-1) ?? '';
  return rest.length === 1
    ? `${name} · ${last}`
    : `${name} ${rest.slice(0, -1).join('.')} · ${textOr(t, `field.${last}`, last)}`;
}

/** What a value reads as: times in the reader's way, yes and no in their words, nothing as a dash. */
export function valueText(
  t: T,
  locale: string,
  value: string | number | boolean | null | readonly string[] | undefined,
): string {
  if (value === null || value === undefined || value === '') return t('history.nothing');
  if (typeof value === 'boolean') return t(value ? 'history.yes' : 'history.no');
  if (typeof value === 'object') return value.length === 0 ? t('history.nothing') : value.join(', ');
  if (typeof value === 'string' && ISO_TIME.test(value)) return timeText(locale, value);
  if (typeof value === 'number') return value.toLocaleString(locale);
  const category = CATEGORIES.find((one) => one === value);
  return category ? t(`categories.${category}`) : textOr(t, `value.${value}`, value);
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;

/** A moment to the second, in the reader's time zone. */
export function timeText(locale: string, at: string): string {
  return new Date(at).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' });
}

function textOr(t: T, id: string, otherwise: string): string {
  return id in en ? t(id as TextId) : otherwise;
}
