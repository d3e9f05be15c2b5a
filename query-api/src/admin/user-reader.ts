import { toUserView, type AdminUserView } from '@alpenglow/domain';
import type { QueryOf } from '@alpenglow/domain/api';
import { ACCOUNTS, AD_CARDS, type Nullable, type RowOf, type SelectedRow } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import { createLikePattern } from './like-pattern.ts';
import { orderBy } from '../paging.ts';
import { afterCursor, createSortedPage, toSortPosition, USER_ORDERS } from './sorted-query.ts';

export type UserReader = ReturnType<typeof createUserReader>;

const AD = AD_CARDS.select(['ad_id'], 'c');
type UserRow = RowOf<typeof ACCOUNTS> & Nullable<SelectedRow<typeof AD>>;
type SortedUserRow = UserRow & { readonly sort_key: Date | string };

/**
 * The SQL expression for the role of a user. `$2` is the admin's e-mail address from the configuration, in lower case.
 */
const ROLE = `case when a.email_verified and lower(a.email) = $2 then 'admin' else coalesce(a.role, 'none') end`;
const FILTERS = `($1::text is null or lower(a.email || ' ' || a.display_name) like lower($1))
  and ($3::text is null or ${ROLE} = $3) and ($4::text is null or a.user_type = $4)
  and ($5::boolean is null or a.verified = $5)`;
const USERS = `${ACCOUNTS.table} a left join ${AD_CARDS.table} c using (account_id)`;

/** Creates an object that reads users for admins. */
export function createUserReader({ pool, adminEmail }: Dependencies<'pool' | 'adminEmail'>) {
  const createView = (row: UserRow): AdminUserView => ({
    ...toUserView(
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
    /** Lists users in the requested order. The search text `q` matches any part of an e-mail address or a name. */
    async list(query: QueryOf<'listUsers'>) {
      const { q, sort, limit, role, type, verified } = query;
      const order = USER_ORDERS[sort];
      const after = toSortPosition(query, order);
      const filterValues = [
        q === null ? null : createLikePattern(q),
        adminEmail?.toLowerCase() ?? null,
        role,
        type,
        verified,
      ];
      const counting = pool.query<{ total: number }>(
        `select count(*)::int as total from ${ACCOUNTS.table} a where ${FILTERS}`,
        filterValues,
      );
      const reading = pool.query<SortedUserRow>(
        `select a.*, ${AD}, ${order.by} as sort_key from ${USERS}
         where ${FILTERS} and ${afterCursor(order, 'a.account_id', '$6', '$7')}
         order by ${orderBy(order, 'a.account_id')} limit $8`,
        [...filterValues, after?.key ?? null, after?.id ?? null, limit + 1],
      );
      const [{ rows: counts }, { rows }] = await Promise.all([counting, reading]);
      const page = createSortedPage(rows, query, (row) => row.account_id);
      return { users: page.rows.map(createView), nextCursor: page.nextCursor, total: counts[0]?.total ?? 0 };
    },
    /** Returns one user, or null if the account does not exist or is closed. */
    async find(accountId: string): Promise<AdminUserView | null> {
      const { rows } = await pool.query<UserRow>({
        name: 'admin-user',
        text: `select a.*, ${AD} from ${USERS} where a.account_id = $1`,
        values: [accountId],
      });
      return rows[0] ? createView(rows[0]) : null;
    },
  };
}
