import * as z from 'zod/mini';
import { registerView } from '../component.ts';
import { USER_TYPES } from '../../account/fields.ts';
import { booleanFlag, message, described, registerSuccess, timestamp } from './common.ts';

/** A user account, as shown to its owner. */
export const userView = registerView('UserView', {
  id: z.string(),
  email: z.string(),
  userType: z.enum(USER_TYPES),
  verified: described(booleanFlag, 'An admin has verified the identity of the user.'),
  isEmailVerified: described(booleanFlag, 'The user has entered a code that was sent to the address.'),
  isAdmin: booleanFlag,
  isModerator: described(booleanFlag, 'The user may moderate. Every admin may.'),
  isProvider: booleanFlag,
  twoStep: described(booleanFlag, 'A sign-in requires a code of an authenticator app.'),
  displayName: z.string(),
  age: z.int(),
  subscriptionStatus: z.literal('none'),
  subscriptionPlan: z.null(),
  isFreeTrial: booleanFlag,
  writesFrom: described(
    z.exactOptional(timestamp),
    'The time from which the user may write in the community and review ads. Absent for moderators, who need not wait.',
  ),
  canPostAds: described(booleanFlag, 'True for a provider with a verified e-mail address, or verified by an admin.'),
});

export const userResponse = registerSuccess('UserAnswer', { user: userView, message });

const verificationCode = described(
  z.exactOptional(z.string()),
  'The mailed code. Only installations that expose codes, such as the demo, return it.',
);

/** Response of the operations that open or extend a session: sign-up, login and refresh. */
export const sessionResponse = registerSuccess('SessionAnswer', {
  user: userView,
  token: described(z.string(), 'The client sends it as `Authorization: Bearer <token>`.'),
  message,
  verificationRequired: described(booleanFlag, 'The e-mail address is not verified yet.'),
  verificationCode,
});

export const sessionListResponse = registerSuccess('SessionListAnswer', {
  data: z.array(
    z.object({
      id: z.string(),
      device: described(z.string(), 'Browser and system, or empty.'),
      createdAt: timestamp,
      lastUsedAt: timestamp,
      isCurrent: booleanFlag,
      isSameNetwork: described(booleanFlag, 'It was opened in the network of this request.'),
    }),
  ),
});

export const liveTicketResponse = registerSuccess('LiveTicketAnswer', { data: z.object({ ticket: z.string() }) });

/** Response of `GET /auth/two-step` with the state of two-step sign-in. */
export const twoStepResponse = registerSuccess('TwoStepAnswer', {
  data: z.object({
    enabled: described(booleanFlag, 'A sign-in requires a code.'),
    required: described(booleanFlag, 'The role of this account requires two-step sign-in.'),
    passed: described(booleanFlag, 'This session was opened with a code, or switched two-step sign-in on.'),
    recoveryCodesLeft: described(z.int(), 'Number of unused recovery codes. Each replaces a code of the app once.'),
  }),
});

export const twoStepSetUpResponse = registerSuccess('TwoStepSetUpAnswer', {
  data: z.object({
    secret: described(z.string(), 'The secret of the app, base32-encoded, for manual entry.'),
    uri: described(z.string(), 'The same secret as `otpauth://totp/…`, to show as a QR code.'),
  }),
  message,
});

export const recoveryCodesResponse = registerSuccess('RecoveryCodesAnswer', {
  data: z.object({ recoveryCodes: described(z.array(z.string()), 'The codes are shown only once.') }),
  message,
});

export const resendResponse = registerSuccess('ResendAnswer', { message, verificationCode });
