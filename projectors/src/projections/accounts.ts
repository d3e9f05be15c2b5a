import { definedOnly } from '@alpenglow/domain';
import { defineProjection } from '../projection.ts';

/**
 * Accounts for lists and look-ups by id. Signing in and deciding never read it: they fold the account's own stream. Somebody who signed up
 * with an address that has an account already (decision 0022) is nobody here.
 */
export type AccountRow = {
  readonly account_id: string;
  readonly email: string;
  readonly display_name: string;
  readonly user_type: string;
  readonly age: number;
  readonly email_verified: boolean;
  /** An admin has looked into who this is. */
  readonly verified: boolean;
  /** `admin` or `moderator`; null for nearly everybody. */
  readonly role: string | null;
  /** Two-step sign-in is on. */
  readonly two_step: boolean;
  readonly is_demo: boolean;
  readonly registered_at: string;
};

export const accounts = defineProjection<AccountRow>({
  name: 'accounts',
  version: 4,
  columns: {
    account_id: 'text primary key',
    email: 'text not null',
    display_name: 'text not null',
    user_type: 'text not null',
    age: 'integer not null',
    email_verified: 'boolean not null',
    verified: 'boolean not null',
    role: 'text',
    two_step: 'boolean not null',
    is_demo: 'boolean not null',
    registered_at: 'timestamptz not null',
  },
  indexes: (table) => [
    `create index on ${table} (registered_at desc, account_id desc)`,
    // For any part of an address or a name.
    `create index on ${table} using gin (lower(email || ' ' || display_name) gin_trgm_ops)`,
    `create index on ${table} (account_id) where verified`,
  ],
  keyOf: (event) => ('accountId' in event.data ? event.data.accountId : null),
  on: {
    AccountRegistered: ({ data, meta }) => ({
      account_id: data.accountId,
      email: data.email,
      display_name: data.displayName,
      user_type: data.userType,
      age: data.age,
      email_verified: false,
      verified: false,
      role: null,
      two_step: false,
      is_demo: data.isDemo,
      registered_at: meta.at,
    }),
    EmailVerified: (_event, row) => row && { ...row, email_verified: true },
    AccountVerifiedByAdmin: (_event, row) => row && { ...row, verified: true },
    RoleGranted: ({ data }, row) => row && { ...row, role: data.role },
    RoleWithdrawn: (_event, row) => row && { ...row, role: null },
    TwoStepEnabled: (_event, row) => row && { ...row, two_step: true },
    TwoStepDisabled: (_event, row) => row && { ...row, two_step: false },
    ProfileUpdated: ({ data }, row) =>
      row && { ...row, ...definedOnly({ display_name: data.displayName, age: data.age }) },
    AccountClosed: () => null,
  },
});
