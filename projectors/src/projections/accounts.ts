import { omitUndefined } from '@alpenglow/domain';
import { ACCOUNTS } from '@alpenglow/infra';
import { defineProjection } from '../projection.ts';

export const accounts = defineProjection(ACCOUNTS)({
  indexes: (table) => [
    `create index on ${table} (registered_at desc, account_id desc)`,
    // This index supports searches by any part of an e-mail address or a name.
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
      row && {
        ...row,
        ...omitUndefined({ display_name: data.displayName, age: data.age }),
        // The identity check has confirmed the earlier age.
        verified: row.verified && (data.age === undefined || data.age === row.age),
      },
    AccountClosed: () => null,
  },
});
