import type { ErasureStep, StaffRole, UserType } from '@alpenglow/domain';
import { defineReadModel, optional, required } from './define-read-model.ts';

/**
 * One row per account, for lists and for finding accounts by id. The login and the deciders read the event stream of
 * the account instead. Stand-in accounts have no row. They replace repeated sign-ups, so that the response does not
 * show that the e-mail address already has an account (decision 0022).
 */
export const ACCOUNTS = defineReadModel({ name: 'accounts', version: 5, isShardable: true })({
  account_id: 'text primary key',
  email: 'text not null',
  display_name: 'text not null',
  user_type: required<UserType>('text'),
  age: 'integer not null',
  email_verified: 'boolean not null',
  /** True if an admin has verified the identity of the person, and the age has not changed since. */
  verified: 'boolean not null',
  /** Null for all accounts except those of admins and moderators. */
  role: optional<StaffRole>('text'),
  two_step: 'boolean not null',
  is_demo: 'boolean not null',
  registered_at: 'timestamptz not null',
});

/**
 * The latest verification code of an account. The row is removed when the code is used or withdrawn. The row remains
 * when the code expires, so readers must check `expires_at`.
 */
export const VERIFICATION_CODES = defineReadModel({ name: 'verification_codes', version: 1, isShardable: true })({
  account_id: 'text primary key',
  issuance_id: 'text not null',
  issued_at: 'timestamptz not null',
  expires_at: 'timestamptz not null',
  /** The number of wrong codes entered so far. */
  failures: 'integer not null',
});

/** The latest identity check of each account. */
export const IDENTITY_CHECKS = defineReadModel({ name: 'identity_checks', version: 2 })({
  account_id: 'text primary key',
  check_id: 'text not null',
  files: 'integer not null',
  /** The status is `ended` if the account was closed before a decision. Admins cannot decide the check after that. */
  status: required<'open' | 'accepted' | 'refused' | 'ended'>('text'),
  requested_at: 'timestamptz not null',
  decided_at: 'timestamptz',
  is_destroyed: 'boolean not null',
});

/** The identity checks whose pictures are stored, with the hashes of these pictures. */
export const IDENTITY_PICTURES = defineReadModel({ name: 'identity_pictures', version: 1 })({
  check_id: 'text primary key',
  account_id: 'text not null',
  /** The perceptual hashes of the pictures. Empty for checks of earlier versions. */
  hashes: required<readonly string[]>('jsonb'),
  /** The keys of all hashes, by which similar pictures are found (`storedKeysOf`). */
  hash_keys: required<readonly string[]>('jsonb'),
});

/**
 * The progress of the erasure of an account's personal data. The person can read this progress with the receipt of the
 * erasure.
 */
export const ERASURES = defineReadModel({ name: 'erasures', version: 1 })({
  receipt_id: 'text primary key',
  account_id: 'text not null',
  requested_by: required<'self' | 'admin'>('text'),
  requested_at: 'timestamptz not null',
  /** The completed steps of the erasure, in the order of completion. */
  done: required<readonly { readonly step: ErasureStep; readonly at: string }[]>('jsonb'),
  completed_at: 'timestamptz',
});
