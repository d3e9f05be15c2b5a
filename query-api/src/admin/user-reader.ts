import { userView, type AdminUserView, type StaffRole } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { containing } from './containing.ts';
import { isBehind, keyText, orderBy, sortedPage, USER_ORDERS, type UserQuery } from './sorted-query.ts';

export interface UserPage {
  readonly users: readonly AdminUserView[];
  readonly nextCursor: string | null;
  readonly total: number;
}

export interface UserReader {
  /** Users in the order asked for; `q` is any part of an address or a name. */
  list(query: UserQuery): Promise<UserPage>;
  /** One user; null where there is none, or none any more. */
  find(accountId: string): Promise<AdminUserView | null>;
}

interface UserRow {
  readonly account_id: string;
  readonly email: string;
  readonly display_name: string;
  readonly user_type: 'client' | 'provider';
  readonly age: number;
  readonly email_verified: boolean;
  readonly verified: boolean;
  readonly role: StaffRole | null;
  readonly two_step: boolean;
  readonly is_demo: boolean;
  readonly registered_at: Date;
  readonly ad_id: string | null;
}
type SortedUserRow = UserRow & { readonly sort_key: Date | string };

/** `$2` is the address configured as the admin's, in lower case, which has the right whatever its role. */
const ROLE = `case when a.email_verified and lower(a.email) = $2 then 'admin' else coalesce(a.role, 'none') end`;
const MEANT = `($1::text is null or lower(a.email || ' ' || a.display_name) like lower($1))
  and ($3::text is null or ${ROLE} = $3) and ($4::text is null or a.user_type = $4) and ($5::boolean is null or a.verified = $5)`;
const USERS = 'rm.accounts a left join rm.ad_cards c using (account_id)';

/** Reads users as admins see them. */
export function createUserReader({
  pool,
  adminEmail,
}: {
  readonly pool: Pool;
  readonly adminEmail: string | null;
}): UserReader {
  const viewOf = (row: UserRow): AdminUserView => ({
    ...userView(
      {
        accountId: row.account_id,
        email: row.email,
        userType: row.user_type,
        displayName: row.display_name,
        age: row.age,
        emailVerified: row.email_verified,
        verifiedByAdmin: row.verified,
        role: row.role,
        twoStep: row.two_step,
      },
      adminEmail,
    ),
    isDemo: row.is_demo,
    registeredAt: row.registered_at.toISOString(),
    adId: row.ad_id,
  });

  return {
    async list(query) {
      const { q, sort, after, limit, role, type, verified } = query;
      const order = USER_ORDERS[sort];
      const meant = [q === null ? null : containing(q), adminEmail?.toLowerCase() ?? null, role, type, verified];
      const counted = pool.query<{ total: number }>(
        `select count(*)::int as total from rm.accounts a where ${MEANT}`,
        meant,
      );
      const found = pool.query<SortedUserRow>(
        `select a.*, c.ad_id, ${order.by} as sort_key from ${USERS}
         where ${MEANT} and ${isBehind(order, 'a.account_id', '$6', '$7')} order by ${orderBy(order, 'a.account_id')} limit $8`,
        [...meant, after?.key ?? null, after?.id ?? null, limit + 1],
      );
      const [{ rows: counts }, { rows }] = await Promise.all([counted, found]);
      const page = sortedPage(rows, query, (row) => ({ key: keyText(row.sort_key), id: row.account_id }));
      return { users: page.rows.map(viewOf), nextCursor: page.nextCursor, total: counts[0]?.total ?? 0 };
    },
    async find(accountId) {
      const { rows } = await pool.query<UserRow>({
        name: 'admin-user',
        text: `select a.*, c.ad_id from ${USERS} where a.account_id = $1`,
        values: [accountId],
      });
      return rows[0] ? viewOf(rows[0]) : null;
    },
  };
}
