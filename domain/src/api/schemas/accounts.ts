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
  isProvider: flag,
  displayName: z.string(),
  age: z.int(),
  subscriptionStatus: z.literal('none'),
  subscriptionPlan: z.null(),
  isFreeTrial: flag,
  canPostAds: said(flag, 'A provider whose e-mail is verified, or whom an admin has verified.'),
});

export const userAnswer = z.object({ success: done, user: userView, message });

const verificationCode = said(z.exactOptional(z.string()), 'The code that was mailed. Only on installations that expose codes, as the demo does.');

/** Answer of sign-up, login and refresh. */
export const sessionAnswer = z.object({
  success: done,
  user: userView,
  token: said(z.string(), 'To be sent as `Authorization: Bearer <token>`.'),
  message,
  verificationRequired: said(flag, 'The e-mail is not verified yet.'),
  verificationCode,
});

export const resendAnswer = z.object({ success: done, message, verificationCode });
