import * as z from 'zod/mini';
import { isMistakableForOfficial, OFFICIAL_NAME_MESSAGE } from '../official-names.ts';
import { registerBody } from '../api/component.ts';
import { MINIMUM_AGE_years } from '../constants.ts';
import { errorMessage } from '../error-catalogue.ts';
import { isVisibleText } from '../text-characters.ts';
import { isDisplayable, requiredText, toOneLine } from '../text-fields.ts';

/** Validation rules for the fields of an account. */

export const USER_TYPES = ['client', 'provider'] as const;

const PASSWORD_LENGTH_MIN = 8;
const PASSWORD_MAX = 200;

/** The messages about a rejected new password. The hint of a password field states the same lengths. */
export const PASSWORD_MESSAGES = {
  short: 'Please use at least 12 characters, or at least 8 that are hard to guess',
  guessable: 'This password is too easy to guess. Please choose another one.',
  breached: 'This password is on a list of stolen passwords. Please choose another one.',
  personal: 'The password must not be your e-mail address or your name',
} as const;

const INVALID_EMAIL = 'Please enter a valid e-mail address';
/** A local part as in RFC 5322 without quotes, and a host name of ASCII labels. */
const EMAIL =
  /^(?=.{1,64}@)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/u;
/**
 * Returns an entered address without invisible characters, and with ASCII forms of the wide letters and dots of an
 * East Asian keyboard.
 */
const normalizeAddress = (text: string) =>
  text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll('\u3002', '.');
/** Only the beginning of a longer text is read. It is no valid address anyway. */
const EMAIL_READ_MAX = 1_000;
const NOT_ASCII = /[^\u0000-\u007f]/u;

/**
 * Returns an address with an internationalized domain in its ASCII form, so that both forms are the same account:
 * `me@bücher.example` becomes `me@xn--bcher-kva.example`.
 */
function toAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  if (!NOT_ASCII.test(domain) || !/^[\p{L}\p{M}\p{N}.-]+$/u.test(domain)) return address;
  try {
    return address.slice(0, at) + new URL(`https://${domain}`).hostname;
  } catch {
    return address;
  }
}

/**
 * Returns an entered e-mail address in the form in which it is stored. The id of an account and all counts of requests
 * belong to this form, so that no spelling is counted separately.
 */
export const normalizeEmail = (text: string): string =>
  toAsciiDomain(normalizeAddress(text.slice(0, EMAIL_READ_MAX)).trim().toLowerCase());

/** The e-mail address of an account, in the form in which it is stored. */
export const email = z
  .string(INVALID_EMAIL)
  .check(
    z.overwrite(normalizeEmail),
    z.maxLength(254, INVALID_EMAIL),
    z.email({ pattern: EMAIL, error: INVALID_EMAIL }),
  );

/** Returns the form of a password that the rules and the hash use. Systems encode the same letters in several ways. */
function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

const newPassword = z
  .string(PASSWORD_MESSAGES.short)
  .check(
    z.overwrite(normalizePassword),
    z.minLength(PASSWORD_LENGTH_MIN, PASSWORD_MESSAGES.short),
    z.maxLength(PASSWORD_MAX, `Password must be at most ${PASSWORD_MAX} characters`),
  );

const UNDER_AGE = `You must be at least ${MINIMUM_AGE_years} years old`;
const NOT_WHOLE = 'Age must be a whole number';
const age = z
  .number({ error: ({ input }) => (typeof input === 'string' ? NOT_WHOLE : UNDER_AGE) })
  .check(z.int(NOT_WHOLE), z.minimum(MINIMUM_AGE_years, UNDER_AGE), z.maximum(120, 'Please enter your real age'));

const NO_NAME = 'Please enter a display name';
export const displayName = z.string(NO_NAME).check(
  isDisplayable('Display name'),
  z.overwrite(toOneLine),
  z.trim(),
  z.minLength(1, NO_NAME),
  z.refine(isVisibleText, NO_NAME),
  z.maxLength(60, 'Display name must be at most 60 characters'),
  z.refine((name) => !isMistakableForOfficial(name), OFFICIAL_NAME_MESSAGE),
);

const userType = z.enum(USER_TYPES, 'Please choose client or provider');

export const signUpFields = registerBody('SignUp', {
  email,
  password: newPassword,
  userType: z._default(userType, 'client'),
  displayName,
  age,
});
export type SignUpFields = z.output<typeof signUpFields>;

/** Request body of `PUT /auth/profile`. Absent fields keep their values. */
export const profileFields = registerBody('Profile', { displayName: z.optional(displayName), age: z.optional(age) });
export type ProfileFields = z.output<typeof profileFields>;

export const STAFF_ROLES = ['admin', 'moderator'] as const;
export const REASON_LENGTH_MIN = 3;
export const REASON_LENGTH_MAX = 500;

/** Request body of `PUT /admin/users/{id}/role`. The role `null` withdraws the current role. */
export const roleFields = registerBody('Role', {
  role: z.nullable(z.enum(STAFF_ROLES, 'Please choose a role')),
  reason: requiredText('Reason', REASON_LENGTH_MAX, REASON_LENGTH_MIN),
});

const NO_PASSWORD = 'Please enter your password';
/**
 * Returns a schema for an entered password, which is later compared with the password of an account. `tooLong` is the
 * error message for a password that is too long. The length is that of the normalized form, as for a new password,
 * because a decomposed form is longer. The value is not changed, because older hashes are of the entered form.
 */
export const passwordToCheck = (tooLong: string) =>
  z.string(NO_PASSWORD).check(
    z.minLength(1, NO_PASSWORD),
    z.refine(
      (password) => password.length <= PASSWORD_MAX || normalizePassword(password).length <= PASSWORD_MAX,
      tooLong,
    ),
  );

/**
 * The error message for a text that is neither a code of an authenticator app nor a recovery code. The schema first
 * removes spaces and hyphens, because copied codes often contain them.
 */
const NO_TWO_STEP_CODE = 'Please enter the code from your authenticator app';
const twoStepCode = z.string(NO_TWO_STEP_CODE).check(
  z.maxLength(60, NO_TWO_STEP_CODE),
  z.overwrite((text) => text.replaceAll(/[\s-]/gu, '').toLowerCase()),
  z.regex(/^(?:[0-9]{6}|[a-z2-7]{16})$/u, NO_TWO_STEP_CODE),
);

export const logInFields = registerBody('LogIn', {
  email,
  password: passwordToCheck(errorMessage('LOGIN_FAILED')),
  code: z.optional(twoStepCode),
});

export const twoStepSetUpFields = registerBody('TwoStepSetUp', {
  password: passwordToCheck(errorMessage('WRONG_PASSWORD')),
});
export const twoStepConfirmFields = registerBody('TwoStepConfirm', { code: twoStepCode });
export const twoStepDisableFields = registerBody('TwoStepDisable', {
  password: passwordToCheck(errorMessage('WRONG_PASSWORD')),
  code: twoStepCode,
});

export const confirmSessionFields = registerBody('ConfirmSession', {
  password: passwordToCheck(errorMessage('WRONG_PASSWORD')),
  code: z.optional(twoStepCode),
});

export const changePasswordFields = registerBody('ChangePassword', {
  currentPassword: passwordToCheck(errorMessage('WRONG_PASSWORD')),
  newPassword,
});

const VERIFICATION_CODE = /^[0-9]{6}$/u;
const NO_CODE = 'Please enter the 6-digit code';
const code = z.string(NO_CODE).check(z.trim(), z.regex(VERIFICATION_CODE, NO_CODE));

export const verifyEmailFields = registerBody('VerifyEmail', { email, code });

export const forgotPasswordFields = registerBody('MailAddress', { email });

/**
 * Request body of `POST /auth/reset-password`. The last three fields are required if the e-mail address was never
 * verified.
 */
export const resetPasswordFields = registerBody('ResetPassword', {
  email,
  code,
  newPassword,
  userType: z.optional(userType),
  displayName: z.optional(displayName),
  age: z.optional(age),
});
export type ResetPasswordFields = z.output<typeof resetPasswordFields>;
