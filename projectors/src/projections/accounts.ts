import { defineProjection } from '../projection.ts';

/** Accounts for lists and look-ups by id. Signing in and deciding never read it: they fold the account's own stream. */
export type AccountRow = {
  readonly account_id: string;
  readonly email: string;
  readonly display_name: string;
  readonly user_type: string;
  readonly email_verified: boolean;
  readonly is_demo: boolean;
  readonly registered_at: string;
};

export const accounts = defineProjection<AccountRow>({
  name: 'accounts',
  version: 1,
  columns: {
    account_id: 'text primary key',
    email: 'text not null',
    display_name: 'text not null',
    user_type: 'text not null',
    email_verified: 'boolean not null',
    is_demo: 'boolean not null',
    registered_at: 'timestamptz not null',
  },
  indexes: (table) => [`create index on ${table} (registered_at desc)`],
  keyOf: (event) => (event.type === 'AccountRegistered' || event.type === 'EmailVerified' ? event.data.accountId : null),
  on: {
    AccountRegistered: ({ data, meta }) => ({
      account_id: data.accountId,
      email: data.email,
      display_name: data.displayName,
      user_type: data.userType,
      email_verified: false,
      is_demo: data.isDemo,
      registered_at: meta.at,
    }),
    EmailVerified: (_event, row) => row && { ...row, email_verified: true },
  },
});
