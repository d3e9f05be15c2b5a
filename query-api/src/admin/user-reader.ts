import { userView, type AdminUserView } from '@alpenglow/domain';
import type { Pool } from '@alpenglow/infra';
import { containing } from './containing.ts';
import { pageOf, type PageQuery } from './page-query.ts';

export interface UserPage {
  readonly users: readonly AdminUserView[];
  readonly nextCursor: string | null;
  readonly total: number;
}

export interface UserReader {
  /** Users from the newest to the oldest; `q` is any part of an address or a name. */
  list(query: PageQuery): Promise<UserPage>;
}

interface UserRow {
  readonly account_id: string;
  readonly email: string;
  readonly display_name: string;
  readonly user_type: 'client' | 'provider';
  readonly age: number;
  readonly email_verified: boolean;
  readonly verified: boolean;
  readonly is_demo: boolean;
  readonly registered_at: Date;
  readonly ad_id: string | null;
}

const MATCHES = `($1::text is null or lower(a.email || ' ' || a.display_name) like lower($1))`;

/** Reads users as admins see them. */
export function createUserReader({ pool, adminEmail }: { readonly pool: Pool; readonly adminEmail: string | null }): UserReader {
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
      },
      adminEmail,
    ),
    isDemo: row.is_demo,
    registeredAt: row.registered_at.toISOString(),
    adId: row.ad_id,
  });

  return {
    async list({ q, after, limit }) {
      const pattern = q === null ? null : containing(q);
      const counted = pool.query<{ total: number }>(`select count(*)::int as total from rm.accounts a where ${MATCHES}`, [pattern]);
      const found = pool.query<UserRow>(
        `select a.*, c.ad_id from rm.accounts a left join rm.ad_cards c using (account_id)
         where ${MATCHES} and ($2::timestamptz is null or (a.registered_at, a.account_id) < ($2, $3))
         order by a.registered_at desc, a.account_id desc limit $4`,
        [pattern, after?.at ?? null, after?.id ?? null, limit + 1],
      );
      const [{ rows: counts }, { rows }] = await Promise.all([counted, found]);
      const page = pageOf(rows, limit, (row) => ({ at: row.registered_at.toISOString(), id: row.account_id }));
      return { users: page.rows.map(viewOf), nextCursor: page.nextCursor, total: counts[0]?.total ?? 0 };
    },
  };
}
