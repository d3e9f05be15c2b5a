import * as z from 'zod/mini';
import { registerResponseSchema, registerView } from '../component.ts';
import { STAFF_ROLES } from '../../account/fields.ts';
import { userView } from './accounts.ts';
import { adCard } from './ads.ts';
import { ownerModeration } from './moderation.ts';
import { count, booleanFlag, message, nextCursor, described, timestamp, total, registerSuccess } from './common.ts';

/** A user, as shown to admins. */
export const adminUserView = registerResponseSchema(
  'AdminUserView',
  z.extend(z.omit(userView, { writesFrom: true }), {
    isDemo: booleanFlag,
    registeredAt: timestamp,
    adId: described(z.nullable(z.string()), 'The id of the current ad, or null.'),
  }),
);

export const adminUsersResponse = registerSuccess('AdminUsersAnswer', {
  data: z.array(adminUserView),
  nextCursor,
  total: count,
});

/** An ad, as shown to admins. */
export const adminAdView = registerResponseSchema(
  'AdminAdView',
  z.extend(adCard, { email: z.nullable(z.string()), ownerId: z.string() }),
);

export const adminAdsResponse = registerSuccess('AdminAdsAnswer', { data: z.array(adminAdView), nextCursor, total });

/** A verification code that can still be used. */
export const verificationCodeView = registerView('VerificationCodeView', {
  userId: z.string(),
  email: z.string(),
  issuedAt: timestamp,
  expiresAt: timestamp,
  attemptsLeft: count,
  code: described(z.nullable(z.string()), 'Null unless the installation exposes codes.'),
});

export const verificationCodesResponse = registerSuccess('VerificationCodesAnswer', {
  data: z.array(verificationCodeView),
  nextCursor,
});

export const clearCodesResponse = registerSuccess('ClearedAnswer', { message, data: z.object({ cleared: count }) });

/** One user, with details that the user list does not contain. */
export const adminUserDetailView = registerResponseSchema(
  'AdminUserDetail',
  z.extend(adminUserView, {
    role: described(z.nullable(z.enum(STAFF_ROLES)), 'The granted role, or null.'),
    isConfiguredAdmin: described(
      booleanFlag,
      'The user has the configured admin address and is an admin with any role.',
    ),
    ad: z.nullable(adminAdView),
    code: described(z.nullable(verificationCodeView), 'The verification code, while it can be used.'),
    counts: z.object({
      threads: described(count, 'Visible threads that the user started.'),
      posts: described(count, 'Visible replies of the user.'),
      hiddenPosts: count,
      favorites: count,
      follows: described(count, 'Threads that the user follows.'),
      sessions: described(count, 'Open sessions.'),
    }),
    moderation: ownerModeration,
  }),
);

export const adminUserResponse = registerSuccess('AdminUserAnswer', { data: adminUserDetailView });
