import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';

const accountId = z.string();
const subjectOf = (data: { accountId: string }) => data.accountId;

export const AccountRegistered = defineEvent('AccountRegistered', {
  version: 1,
  schema: z.object({
    accountId,
    email: z.string(),
    /** argon2id in PHC form; null for demo accounts nobody can log in to. */
    passwordHash: z.nullable(z.string()),
    userType: z.enum(['client', 'provider']),
    displayName: z.string(),
    age: z.number(),
    isDemo: z.boolean(),
  }),
  personal: { email: '', passwordHash: null, displayName: '', age: 0 },
  subjectOf,
});

/** The code itself is derived from `issuanceId` and a secret, so it is stored nowhere. */
export const EmailVerificationIssued = defineEvent('EmailVerificationIssued', {
  version: 1,
  schema: z.object({ accountId, issuanceId: z.string(), expiresAt: z.string() }),
});

export const EmailVerificationFailed = defineEvent('EmailVerificationFailed', {
  version: 1,
  schema: z.object({ accountId, issuanceId: z.string() }),
});

export const EmailVerified = defineEvent('EmailVerified', {
  version: 1,
  schema: z.object({ accountId }),
});

export const accountEvents = [AccountRegistered, EmailVerificationIssued, EmailVerificationFailed, EmailVerified] as const;
export type AccountEvent = EventOf<(typeof accountEvents)[number]>;
