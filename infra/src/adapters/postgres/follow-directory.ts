import type { Pool } from 'pg';
import { COMMUNITY_POSTS, COMMUNITY_THREADS, THREAD_FOLLOWS } from '../../read-models/index.ts';

/** A time span from `from` (inclusive) to `to` (exclusive). */
export interface TimeSpan {
  readonly from: Date;
  readonly to: Date;
}

/** A followed thread with new replies of other accounts. */
interface RepliedThread {
  readonly threadId: string;
  readonly followedAt: Date;
}

/** An account that receives a mail for each reply in a thread. */
interface InstantFollower {
  readonly accountId: string;
  /**
   * The shortest beginning of the account id that follows the previous account id. A page that begins here begins with
   * this account. The beginning rarely identifies an account, so it may be stored in a job.
   */
  readonly from: string;
}

/**
 * Finds the recipients of mails about new replies in followed threads. Queries the read models, which may lag behind
 * the events, so callers must check the events before they send a mail.
 */
export type FollowDirectory = ReturnType<typeof createFollowDirectory>;

/** SQL query for the time of the last visible reply of each author in these threads, between the times $1 and $2. */
const repliesIn = (threads: string) => `
  select p.thread_id, p.account_id as author_id, max(p.posted_at) as last_at
    from ${COMMUNITY_THREADS.table} t join ${COMMUNITY_POSTS.table} p using (thread_id)
   where ${threads} and t.status = 'visible' and t.last_post_at >= $1 and p.number > 0 and p.status = 'visible'
     and p.posted_at >= $1 and p.posted_at < $2
   group by p.thread_id, p.account_id`;
/** SQL condition that another account wrote the reply after the follower had followed the thread. */
const IS_NEW = 'r.thread_id = f.thread_id and r.author_id <> f.account_id and r.last_at > f.followed_at';
/** SQL condition that account $3 follows thread `t` with a daily mail. */
const FOLLOWED_DAILY = `t.thread_id in (
  select thread_id from ${THREAD_FOLLOWS.table} where account_id = $3 and mail = 'daily')`;

export function createFollowDirectory(pool: Pool) {
  return {
    /**
     * Returns the accounts that followed the thread before the time `before` and that receive a mail for each reply, in
     * the order of their ids. Returns at most `limit` accounts whose ids are not less than `from` and, unless `until`
     * is null, less than `until`.
     */
    async instantFollowers(
      threadId: string,
      before: Date,
      { from, until, limit }: { readonly from: string; readonly until: string | null; readonly limit: number },
    ): Promise<readonly InstantFollower[]> {
      const { rows } = await pool.query<InstantFollower>({
        name: 'follows-instant',
        // The database compares the texts, because its order may differ from the one of JavaScript.
        text: `with page as (
                 select account_id from ${THREAD_FOLLOWS.table}
                  where thread_id = $1 and mail = 'instant' and followed_at <= $2
                    and account_id >= $3 and ($4::text is null or account_id < $4)
                  order by account_id limit $5)
               select account_id as "accountId",
                      case when previous is null then $3
                           else (select left(account_id, n) from generate_series(1, length(account_id)) as n
                                  where left(account_id, n) > previous order by n limit 1) end as "from"
                 from (select account_id, lag(account_id) over (order by account_id) as previous from page) as follower
                order by account_id`,
        values: [threadId, before.toISOString(), from, until, limit],
      });
      return rows;
    },
    /**
     * Returns the accounts that receive a daily mail about followed threads and for which there are new replies in this
     * time span. Skips accounts whose mail `digest-<account>-<day>` was already sent or rejected.
     */
    async digestsDue(
      day: string,
      { from, to }: TimeSpan,
      { after, limit }: { readonly after: string | null; readonly limit: number },
    ): Promise<readonly string[]> {
      const { rows } = await pool.query<{ account_id: string }>({
        name: 'follows-digests-due',
        text: `with replies as (${repliesIn('true')})
               select distinct f.account_id from ${THREAD_FOLLOWS.table} f join replies r on ${IS_NEW}
                where f.mail = 'daily' and ($3::text is null or f.account_id > $3)
                  and not exists (
                    select from mail.sent s
                     where s.id = 'digest-' || f.account_id || '-' || $4 and s.state not in ('sending', 'waiting'))
                order by f.account_id limit $5`,
        values: [from.toISOString(), to.toISOString(), after, day, limit],
      });
      return rows.map(({ account_id }) => account_id);
    },
    /**
     * Returns the threads that the account follows with a daily mail and that have new replies in this time span. The
     * thread with the latest reply is first.
     */
    async repliedThreads(accountId: string, { from, to }: TimeSpan): Promise<readonly RepliedThread[]> {
      const { rows } = await pool.query<RepliedThread>({
        name: 'follows-replied-threads',
        text: `with replies as (${repliesIn(FOLLOWED_DAILY)})
               select f.thread_id as "threadId", f.followed_at as "followedAt"
                 from ${THREAD_FOLLOWS.table} f join replies r on ${IS_NEW}
                where f.mail = 'daily' and f.account_id = $3
                group by f.thread_id, f.followed_at order by max(r.last_at) desc, f.thread_id`,
        values: [from.toISOString(), to.toISOString(), accountId],
      });
      return rows;
    },
  };
}
