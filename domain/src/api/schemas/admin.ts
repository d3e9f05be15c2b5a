import * as z from 'zod/mini';
import { STAFF_ROLES } from '../../account/fields.ts';
import { userView } from './accounts.ts';
import { adCard } from './ads.ts';
import { count, done, flag, message, nextCursor, said, time, total } from './common.ts';

/** A user as an admin sees them. */
export const adminUserView = z.extend(userView, {
  isDemo: flag,
  registeredAt: time,
  adId: said(z.nullable(z.string()), 'The ad they have up, or null.'),
});

export const adminUsersAnswer = z.object({ success: done, data: z.array(adminUserView), nextCursor, total: count });

/** An ad as an admin sees it. */
export const adminAdView = z.extend(adCard, { email: z.nullable(z.string()), ownerId: z.string() });

export const adminAdsAnswer = z.object({ success: done, data: z.array(adminAdView), nextCursor, total });

/** A verification code that can still be entered. */
export const verificationCodeView = z.object({
  userId: z.string(),
  email: z.string(),
  issuedAt: time,
  expiresAt: time,
  attemptsLeft: count,
  code: said(z.nullable(z.string()), 'Only on installations that expose codes, else null.'),
});

export const verificationCodesAnswer = z.object({ success: done, data: z.array(verificationCodeView), nextCursor });

export const clearedAnswer = z.object({ success: done, message, data: z.object({ cleared: count }) });

/** One user with what the panel shows beside the list. */
export const adminUserDetail = z.extend(adminUserView, {
  role: said(z.nullable(z.enum(STAFF_ROLES)), 'The role they were given; null without one.'),
  isConfiguredAdmin: said(flag, 'Theirs is the address configured as the admin’s: an admin whatever the role.'),
  ad: z.nullable(adminAdView),
  code: said(z.nullable(verificationCodeView), 'Their verification code, while it can be entered.'),
  counts: z.object({
    threads: said(count, 'Threads they started that are to be seen.'),
    posts: said(count, 'Replies of theirs that are to be seen.'),
    hiddenPosts: count,
    favorites: count,
    follows: said(count, 'Threads they follow.'),
    sessions: said(count, 'Sessions that are open.'),
  }),
});

export const adminUserAnswer = z.object({ success: done, data: adminUserDetail });
