import * as z from 'zod/mini';
import { MINIMUM_AGE_years } from '../constants.ts';
import { errorMessage } from '../errors.ts';
import { requiredText, withoutDirectionOverrides } from '../text-fields.ts';

/** Field rules of an account (specification, sections 3 and 5; product decisions, "Who may do what"). */

export const USER_TYPES = ['client', 'provider'] as const;

export const PASSWORD_MIN = 8;
export const PASSWORD_MAX = 200;

const INVALID_EMAIL = 'Please enter a valid e-mail address';
export const email = z
  .string(INVALID_EMAIL)
  .check(z.trim(), z.toLowerCase(), z.maxLength(254, INVALID_EMAIL), z.email(INVALID_EMAIL));

export const newPassword = z
  .string(`Password must be at least ${PASSWORD_MIN} characters`)
  .check(
    z.minLength(PASSWORD_MIN, `Password must be at least ${PASSWORD_MIN} characters`),
    z.maxLength(PASSWORD_MAX, `Password must be at most ${PASSWORD_MAX} characters`),
  );

const UNDER_AGE = `You must be at least ${MINIMUM_AGE_years} years old`;
export const age = z
  .number(UNDER_AGE)
  .check(
    z.int('Age must be a whole number'),
    z.minimum(MINIMUM_AGE_years, UNDER_AGE),
    z.maximum(120, 'Please enter your real age'),
  );

const NO_NAME = 'Please enter a display name';
export const displayName = z
  .string(NO_NAME)
  .check(
    z.overwrite(withoutDirectionOverrides),
    z.trim(),
    z.minLength(1, NO_NAME),
    z.maxLength(60, 'Display name must be at most 60 characters'),
    z.regex(/^[^\p{Cc}\p{Cs}]*$/u, NO_NAME),
  );

export const signUpFields = z.object({
  email,
  password: newPassword,
  userType: z._default(z.enum(USER_TYPES, 'Please choose client or provider'), 'client'),
  displayName,
  age,
});
export type SignUpFields = z.output<typeof signUpFields>;

/** `PUT /auth/profile`: what is absent stays. */
export const profileFields = z.object({ displayName: z.optional(displayName), age: z.optional(age) });
export type ProfileFields = z.output<typeof profileFields>;

export const STAFF_ROLES = ['admin', 'moderator'] as const;
export const REASON_MIN = 3;
export const REASON_MAX = 500;

/** `PUT /admin/users/{id}/role`: null withdraws. */
export const roleFields = z.object({
  role: z.nullable(z.enum(STAFF_ROLES, 'Please choose a role')),
  reason: requiredText('Reason', REASON_MAX, REASON_MIN),
});

const NO_PASSWORD = 'Please enter your password';
/** One that is held against that of an account. */
export const existingPassword = (tooLong: string) =>
  z.string(NO_PASSWORD).check(z.minLength(1, NO_PASSWORD), z.maxLength(PASSWORD_MAX, tooLong));

/** Of an authenticator app, or a recovery code; people copy them with gaps and hyphens. */
const NO_TWO_STEP_CODE = 'Please enter the code of your authenticator app';
const twoStepCode = z.string(NO_TWO_STEP_CODE).check(
  z.maxLength(60, NO_TWO_STEP_CODE),
  z.overwrite((text) => text.replaceAll(/[\s-]/gu, '').toLowerCase()),
  z.regex(/^(?:[0-9]{6}|[a-z2-7]{16})$/u, NO_TWO_STEP_CODE),
);

export const logInFields = z.object({
  email,
  password: existingPassword(errorMessage('LOGIN_FAILED')),
  code: z.optional(twoStepCode),
});

export const twoStepSetUpFields = z.object({ password: existingPassword(errorMessage('WRONG_PASSWORD')) });
export const twoStepConfirmFields = z.object({ code: twoStepCode });
export const twoStepDisableFields = z.object({
  password: existingPassword(errorMessage('WRONG_PASSWORD')),
  code: twoStepCode,
});

export const changePasswordFields = z.object({
  currentPassword: existingPassword(errorMessage('WRONG_PASSWORD')),
  newPassword,
});

export const VERIFICATION_CODE = /^[0-9]{6}$/u;
const NO_CODE = 'Please enter the 6-digit code';
const code = z.string(NO_CODE).check(z.trim(), z.regex(VERIFICATION_CODE, NO_CODE));

export const verifyEmailFields = z.object({ email, code });

export const forgotPasswordFields = z.object({ email });

export const resetPasswordFields = z.object({ email, code, newPassword });
