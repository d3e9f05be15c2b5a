import * as z from 'zod/mini';
import { defineEvent, type EventOf } from '../event-definition.ts';
import { twoStepEvents } from './two-step-events.ts';

const accountId = z.string();
const subjectOf = (data: { accountId: string }) => data.accountId;

/** An admin's word for what they did, sealed with the key of the account it is about. Null where they gave none. */
const reason = z.nullable(z.string());
const noReason = { reason: null };
const withoutReason = { 1: (data: unknown) => ({ ...(data as object), reason: null }) };

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

/** An admin took an open code back: it works no more. */
export const EmailVerificationCleared = defineEvent('EmailVerificationCleared', {
  version: 2,
  schema: z.object({ accountId, issuanceId: z.string(), reason }),
  personal: noReason,
  subjectOf,
  upcasts: withoutReason,
});

/**
 * Somebody signed up with an address that has an account already. `accountId` names what they were given: an account that can never be
 * verified, so that nobody learns which addresses have one (decision 0022). Its owner, `ofAccountId`, is told by mail.
 */
export const SignUpRepeated = defineEvent('SignUpRepeated', {
  version: 1,
  schema: z.object({
    accountId,
    ofAccountId: z.string(),
    issuanceId: z.string(),
    expiresAt: z.string(),
    email: z.string(),
    passwordHash: z.nullable(z.string()),
    userType: z.enum(['client', 'provider']),
    displayName: z.string(),
    age: z.number(),
  }),
  personal: { email: '', passwordHash: null, displayName: '', age: 0 },
  subjectOf: (data: { ofAccountId: string }) => data.ofAccountId,
});

/** Carries the changed fields only. */
export const ProfileUpdated = defineEvent('ProfileUpdated', {
  version: 1,
  schema: z.object({ accountId, displayName: z.optional(z.string()), age: z.optional(z.number()) }),
  personal: { displayName: undefined, age: undefined },
  subjectOf,
});

/** Ends every session that was opened before. */
export const PasswordChanged = defineEvent('PasswordChanged', {
  version: 1,
  schema: z.object({ accountId, passwordHash: z.nullable(z.string()) }),
  personal: { passwordHash: null },
  subjectOf,
});

/** The code is derived, as that of a verification. */
export const PasswordResetIssued = defineEvent('PasswordResetIssued', {
  version: 1,
  schema: z.object({ accountId, issuanceId: z.string(), expiresAt: z.string() }),
});

export const PasswordResetFailed = defineEvent('PasswordResetFailed', {
  version: 1,
  schema: z.object({ accountId, issuanceId: z.string() }),
});

/** An admin has looked into who this is: what `verified` on an account and its ad means. */
export const AccountVerifiedByAdmin = defineEvent('AccountVerifiedByAdmin', {
  version: 2,
  schema: z.object({ accountId, reason }),
  personal: noReason,
  subjectOf,
  upcasts: withoutReason,
});

/** What somebody may do beyond their own account: an admin everything, a moderator what moderation needs (decision 0038). */
const role = z.enum(['admin', 'moderator']);
export const RoleGranted = defineEvent('RoleGranted', {
  version: 1,
  schema: z.object({ accountId, role, reason }),
  personal: noReason,
  subjectOf,
});
export const RoleWithdrawn = defineEvent('RoleWithdrawn', {
  version: 1,
  schema: z.object({ accountId, role, reason }),
  personal: noReason,
  subjectOf,
});

/** The account is gone; its address may sign up again. */
export const AccountClosed = defineEvent('AccountClosed', {
  version: 2,
  schema: z.object({ accountId, reason }),
  personal: noReason,
  subjectOf,
  upcasts: withoutReason,
});

export const accountEvents = [
  AccountRegistered,
  EmailVerificationIssued,
  EmailVerificationFailed,
  EmailVerified,
  EmailVerificationCleared,
  SignUpRepeated,
  ProfileUpdated,
  PasswordChanged,
  PasswordResetIssued,
  PasswordResetFailed,
  AccountVerifiedByAdmin,
  RoleGranted,
  RoleWithdrawn,
  ...twoStepEvents,
  AccountClosed,
] as const;
export type AccountEvent = EventOf<(typeof accountEvents)[number]>;
