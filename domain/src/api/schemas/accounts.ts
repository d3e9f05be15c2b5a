import * as z from 'zod/mini';
import { USER_TYPES } from '../../account/fields.ts';
import { done, flag, message, said } from './common.ts';

/** A user as they see themselves. Specification, section 3. */
export const userView = z.object({
  id: z.string(),
  email: z.string(),
  userType: z.enum(USER_TYPES),
  verified: said(flag, 'An admin has looked at who this is.'),
  isEmailVerified: said(flag, 'The mailbox is theirs: a code that was sent to it has come back.'),
  isAdmin: flag,
  isModerator: said(flag, 'May do what moderation needs. Every admin may.'),
  isProvider: flag,
  twoStep: said(flag, 'Signing in takes a code of an authenticator app, too.'),
  displayName: z.string(),
  age: z.int(),
  subscriptionStatus: z.literal('none'),
  subscriptionPlan: z.null(),
  isFreeTrial: flag,
  canPostAds: said(flag, 'A provider whose e-mail is verified, or whom an admin has verified.'),
});

export const userAnswer = z.object({ success: done, user: userView, message });

const verificationCode = said(
  z.exactOptional(z.string()),
  'The code that was mailed. Only on installations that expose codes, as the demo does.',
);

/** Answer of sign-up, login and refresh. */
export const sessionAnswer = z.object({
  success: done,
  user: userView,
  token: said(z.string(), 'To be sent as `Authorization: Bearer <token>`.'),
  message,
  verificationRequired: said(flag, 'The e-mail is not verified yet.'),
  verificationCode,
});

/** `GET /auth/two-step`. */
export const twoStepAnswer = z.object({
  success: done,
  data: z.object({
    enabled: said(flag, 'Signing in takes a code.'),
    required: said(flag, 'What the role of this account allows waits for it.'),
    passed: said(flag, 'This session was opened with a code, or switched it on.'),
    recoveryCodesLeft: said(z.int(), 'Each works once, in place of a code of the app.'),
  }),
});

export const twoStepSetUpAnswer = z.object({
  success: done,
  data: z.object({
    secret: said(z.string(), 'What the app makes its codes of, in base32, to be typed in.'),
    uri: said(z.string(), 'The same for a camera: `otpauth://totp/…`, to be shown as a QR code.'),
  }),
  message,
});

export const recoveryCodesAnswer = z.object({
  success: done,
  data: z.object({ recoveryCodes: said(z.array(z.string()), 'Shown this once.') }),
  message,
});

export const resendAnswer = z.object({ success: done, message, verificationCode });
