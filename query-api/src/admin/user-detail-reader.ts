import { account, type AdminUserDetailView } from '@alpenglow/domain';
import { COMMUNITY_POSTS, FAVORITES, THREAD_FOLLOWS } from '@alpenglow/infra';
import type { Dependencies } from '../dependencies.ts';
import type { CaseReader } from '../moderation/case-reader.ts';
import type { AdminAdReader } from './admin-ad-reader.ts';
import type { CodeReader } from './code-reader.ts';
import type { UserReader } from './user-reader.ts';

interface UserDetailDependencies extends Dependencies<'pool' | 'commands' | 'adminEmail'> {
  readonly users: UserReader;
  readonly ads: AdminAdReader;
  readonly codes: CodeReader;
  readonly cases: Pick<CaseReader, 'findOfOwner'>;
}

/** The SQL query for the counts of an account, e.g. the number of its threads. `$1` is the account id. */
const COUNTS = `select
  (select count(*) from ${COMMUNITY_POSTS.table} where account_id = $1 and number = 0 and status = 'visible')::int
    as threads,
  (select count(*) from ${COMMUNITY_POSTS.table} where account_id = $1 and number > 0 and status = 'visible')::int
    as posts,
  (select count(*) from ${COMMUNITY_POSTS.table} where account_id = $1 and status = 'hidden')::int as "hiddenPosts",
  coalesce((select jsonb_array_length(ad_ids) from ${FAVORITES.table} where account_id = $1), 0) as favorites,
  (select count(*) from ${THREAD_FOLLOWS.table} where account_id = $1)::int as follows,
  (select count(*) from auth.sessions where account_id = $1 and expires_at > now())::int as sessions`;

/** Creates an object that reads the details of one user for admins. */
export function createUserDetailReader({
  pool,
  commands,
  adminEmail,
  users,
  ads,
  codes,
  cases,
}: UserDetailDependencies) {
  return {
    /** The read models from which `find` reads the details of a user. */
    readModels: [
      'accounts',
      'ad_cards',
      'media_items',
      'verification_codes',
      'community_posts',
      'favorites',
      'thread_follows',
      'moderation_cases',
      'decisions',
      'reports',
      'ad_links',
      'community_threads',
      'articles',
    ],
    /**
     * Returns the details of one account for the admin panel, or null if the account does not exist or is closed.
     * `callerId` is the id of the admin.
     */
    async find(accountId: string, callerId: string): Promise<AdminUserDetailView | null> {
      const counting = pool.query<AdminUserDetailView['counts']>({
        name: 'admin-user-counts',
        text: COUNTS,
        values: [accountId],
      });
      const [user, ad, code, { rows }, { state }, moderation] = await Promise.all([
        users.find(accountId),
        ads.findByOwner(accountId),
        codes.findByUser(accountId),
        counting,
        commands.load(account, accountId),
        cases.findOfOwner(accountId, callerId),
      ]);
      const [counts] = rows;
      if (user === null || !counts) return null;
      return {
        ...user,
        role: state?.role ?? null,
        isConfiguredAdmin: user.email.toLowerCase() === adminEmail?.toLowerCase(),
        ad,
        code,
        counts,
        moderation,
      };
    },
  };
}
