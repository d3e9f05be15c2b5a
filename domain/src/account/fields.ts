import * as z from 'zod/mini';
import { MINIMUM_AGE_years } from '../constants.ts';

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
  .check(z.int('Age must be a whole number'), z.minimum(MINIMUM_AGE_years, UNDER_AGE), z.maximum(120, 'Please enter your real age'));

const NO_NAME = 'Please enter a display name';
export const displayName = z
  .string(NO_NAME)
  .check(z.trim(), z.minLength(1, NO_NAME), z.maxLength(60, 'Display name must be at most 60 characters'), z.regex(/^[^\p{Cc}\p{Cs}]*$/u, NO_NAME));

export const signUpFields = z.object({
  email,
  password: newPassword,
  userType: z._default(z.enum(USER_TYPES, 'Please choose client or provider'), 'client'),
  displayName,
  age,
});
export type SignUpFields = z.output<typeof signUpFields>;

export const logInFields = z.object({ email, password: z.string('Please enter your password').check(z.minLength(1, 'Please enter your password'), z.maxLength(PASSWORD_MAX, 'Login failed')) });

export const VERIFICATION_CODE = /^[0-9]{6}$/u;
export const verifyEmailFields = z.object({
  email,
  code: z.string('Please enter the 6-digit code').check(z.trim(), z.regex(VERIFICATION_CODE, 'Please enter the 6-digit code')),
});
