import * as z from 'zod/mini';
import { userView } from './accounts.ts';
import { adCard } from './ads.ts';
import { count, done, flag, message, nextCursor, said, time, total } from './common.ts';

/** A user as an admin sees them. */
export const adminUserView = z.extend(userView, { isDemo: flag, registeredAt: time, adId: said(z.nullable(z.string()), 'The ad they have up, or null.') });

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
