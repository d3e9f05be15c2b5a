import { account, type AdminUserDetail } from '@alpenglow/domain';
import type { CommandHandler, Pool } from '@alpenglow/infra';
import type { AdminAdReader } from './admin-ad-reader.ts';
import type { CodeReader } from './code-reader.ts';
import type { UserReader } from './user-reader.ts';

export interface UserDetailReader {
  /** What `find` asks, for those who wait for their own writes. */
  readonly readModels: readonly string[];
  /** All that the panel shows of one account; null where there is none, or none any more. */
  find(accountId: string): Promise<AdminUserDetail | null>;
}

export interface UserDetailDependencies {
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly adminEmail: string | null;
  readonly users: UserReader;
  readonly ads: AdminAdReader;
  readonly codes: CodeReader;
}

const USER_ID = /^[\w-]{1,64}$/u;

/** `$1` is the account. */
const COUNTS = `select
  (select count(*) from rm.community_posts where account_id = $1 and number = 0 and status = 'visible')::int as threads,
  (select count(*) from rm.community_posts where account_id = $1 and number > 0 and status = 'visible')::int as posts,
  (select count(*) from rm.community_posts where account_id = $1 and status = 'hidden')::int as "hiddenPosts",
  coalesce((select jsonb_array_length(ad_ids) from rm.favorites where account_id = $1), 0) as favorites,
  (select count(*) from rm.thread_follows where account_id = $1)::int as follows,
  (select count(*) from auth.sessions where account_id = $1 and expires_at > now())::int as sessions`;

/** Reads one user with everything around them. */
export function createUserDetailReader({
  pool,
  commands,
  adminEmail,
  users,
  ads,
  codes,
}: UserDetailDependencies): UserDetailReader {
  return {
    readModels: [
      'accounts',
      'ad_cards',
      'media_items',
      'verification_codes',
      'community_posts',
      'favorites',
      'thread_follows',
    ],
    async find(accountId) {
      if (!USER_ID.test(accountId)) return null;
      const counted = pool.query<AdminUserDetail['counts']>({
        name: 'admin-user-counts',
        text: COUNTS,
        values: [accountId],
      });
      const [user, ad, code, { rows }, { state }] = await Promise.all([
        users.find(accountId),
        ads.ofOwner(accountId),
        codes.ofUser(accountId),
        counted,
        commands.load(account, accountId),
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
      };
    },
  };
}
