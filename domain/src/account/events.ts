import * as z from 'zod/mini';
import { defineEvent, type EventFromDefinition } from '../event-definition.ts';
import { loggedWithReason, ownRecord, sealed } from '../event-policies.ts';
import { twoStepEvents } from './two-step-events.ts';

const accountId = z.string();

const signUpFields = {
  email: z.string(),
  /** Password hash (argon2id in PHC format). Null for a demo account, which does not allow a login. */
  passwordHash: z.nullable(z.string()),
  userType: z.enum(['client', 'provider']),
  displayName: z.string(),
  age: z.number(),
};
const erasedSignUpFields = { email: '', passwordHash: null, displayName: '', age: 0 };

/** The reason that an admin gave, or null. The reason is encrypted with the key of the affected account. */
const reason = z.nullable(z.string());
const withoutReason = { 1: (data: unknown) => ({ ...(data as object), reason: null }) };

/** The staff role of an account. An admin may do everything, a moderator may moderate (decision 0038). */
const role = z.enum(['admin', 'moderator']);

/** Keyed hash that identifies a browser to one account. It is absent if the client sent no cookie. */
const browser = z.optional(z.string());
/**
 * Keyed hashes of the clients that can enter a code: the browser that requested it, and also its network if the request
 * had no cookie. Older events lack them, and their codes can be entered by every client.
 */
const requesters = z.optional(z.array(z.string()));
/** The hash under which the wrong code of a client is counted. */
const requester = z.optional(z.string());

const codeFields = { accountId, issuanceId: z.string(), expiresAt: z.string() };

export const accountEvents = [
  /**
   * A person signed up. The e-mail address belongs to no person until it is verified, so a later sign-up replaces the
   * account (decision 0055). A password reset of an unverified account also replaces it.
   */
  defineEvent('AccountRegistered', {
    version: 1,
    ...sealed,
    schema: z.object({
      accountId,
      ...signUpFields,
      isDemo: z.boolean(),
      browser,
    }),
    personalFields: { ...erasedSignUpFields, browser: undefined },
    secretFields: ['passwordHash'],
  }),
  /** A verification code was issued. The code is not stored, because it is derived from `issuanceId` and a secret. */
  defineEvent('EmailVerificationIssued', {
    version: 1,
    ...ownRecord,
    schema: z.object(codeFields),
  }),
  defineEvent('EmailVerificationFailed', {
    version: 1,
    ...ownRecord,
    schema: z.object({ accountId, issuanceId: z.string() }),
  }),
  defineEvent('EmailVerified', { version: 1, ...ownRecord, schema: z.object({ accountId }) }),
  /** An admin revoked a verification code, which is then invalid. */
  defineEvent('EmailVerificationCleared', {
    version: 2,
    ...loggedWithReason,
    schema: z.object({ accountId, issuanceId: z.string(), reason }),
    upcasters: withoutReason,
  }),
  /**
   * A person signed up with an e-mail address whose account `ofAccountId` is verified. To hide this fact, the sign-up
   * created or replaced the stand-in account `accountId`, which can never be verified (decision 0055). The owner of the
   * existing account is notified by mail.
   */
  defineEvent('SignUpRepeated', {
    version: 1,
    schema: z.object({
      accountId,
      ofAccountId: z.string(),
      issuanceId: z.string(),
      expiresAt: z.string(),
      ...signUpFields,
      browser,
    }),
    personalFields: { ...erasedSignUpFields, browser: undefined },
    secretFields: ['passwordHash'],
    moderationLog: 'never',
    disclosedTo: 'subject',
    getSubjectId: (data: { ofAccountId: string }) => data.ofAccountId,
  }),
  /** The owner changed the profile. The event contains only the changed fields. */
  defineEvent('ProfileUpdated', {
    version: 1,
    ...sealed,
    schema: z.object({ accountId, displayName: z.optional(z.string()), age: z.optional(z.number()) }),
    personalFields: { displayName: undefined, age: undefined },
  }),
  /** The password was changed, which closes all earlier sessions of the account. */
  defineEvent('PasswordChanged', {
    version: 1,
    ...sealed,
    schema: z.object({ accountId, passwordHash: z.nullable(z.string()) }),
    personalFields: { passwordHash: null },
    secretFields: ['passwordHash'],
  }),
  /** The owner has logged in, and the hash of the same password was created again from its normalized form. */
  defineEvent('PasswordRehashed', {
    version: 1,
    ...sealed,
    schema: z.object({ accountId, passwordHash: z.nullable(z.string()) }),
    personalFields: { passwordHash: null },
    secretFields: ['passwordHash'],
  }),
  /** A password reset code was issued. The code is not stored, because it is derived from `issuanceId` and a secret. */
  defineEvent('PasswordResetIssued', {
    version: 1,
    ...ownRecord,
    schema: z.object({ ...codeFields, requesters }),
  }),
  defineEvent('PasswordResetFailed', {
    version: 1,
    ...ownRecord,
    schema: z.object({ accountId, issuanceId: z.string(), requester }),
  }),
  /**
   * A code was issued for a login after many failed logins to the account. The code is not stored, because it is
   * derived from `issuanceId` and a secret.
   */
  defineEvent('LoginCodeIssued', { version: 1, ...ownRecord, schema: z.object({ ...codeFields, requesters }) }),
  defineEvent('LoginCodeFailed', {
    version: 1,
    ...ownRecord,
    schema: z.object({ accountId, issuanceId: z.string(), requester }),
  }),
  /** A login code was used. It cannot be used again. */
  defineEvent('LoginCodeUsed', { version: 1, ...ownRecord, schema: z.object({ accountId, issuanceId: z.string() }) }),
  /** An admin has verified the identity of the owner. The field `verified` of the account and its ad is then true. */
  defineEvent('AccountVerifiedByAdmin', {
    version: 2,
    ...loggedWithReason,
    schema: z.object({ accountId, reason }),
    upcasters: withoutReason,
  }),
  defineEvent('RoleGranted', { version: 1, ...loggedWithReason, schema: z.object({ accountId, role, reason }) }),
  defineEvent('RoleWithdrawn', { version: 1, ...loggedWithReason, schema: z.object({ accountId, role, reason }) }),
  ...twoStepEvents,
  /** The account was closed. Its e-mail address can be used for a new account. */
  defineEvent('AccountClosed', {
    version: 2,
    ...loggedWithReason,
    moderationLog: 'by-others',
    schema: z.object({ accountId, reason }),
    upcasters: withoutReason,
  }),
] as const;
export type AccountEvent = EventFromDefinition<(typeof accountEvents)[number]>;
