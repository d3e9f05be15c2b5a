import type { Pool } from 'pg';

/** A time from, and up to but without. */
export interface TimeSpan {
  readonly from: Date;
  readonly to: Date;
}

/** A thread followed by somebody, in which others have replied. */
export interface RepliedThread {
  readonly threadId: string;
  readonly followedAt: Date;
}

/** What those who mail followers may ask the read models: they may lag, so whoever acts on it asks the events first. */
export interface FollowDirectory {
  /** Accounts that are mailed of each reply of a thread and followed it before then: those that follow on `after`, at most `limit`. */
  instantFollowers(
    threadId: string,
    before: Date,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly string[]>;
  /** Accounts with one mail a day for which there is something new in this time, and of which no mail `digest-<account>-<day>` was sent. */
  digestsDue(
    day: string,
    span: TimeSpan,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly string[]>;
  /** The threads of one of them in which others have replied in this time, the last reply first. */
  repliedThreads(accountId: string, span: TimeSpan): Promise<readonly RepliedThread[]>;
}

/** Who has last replied where in the time $1 to $2, of what is to be seen in these threads. */
const repliesIn = (threads: string) => `
  select p.thread_id, p.account_id as author_id, max(p.posted_at) as last_at
    from rm.community_threads t join rm.community_posts p using (thread_id)
   where ${threads} and t.status = 'visible' and t.last_post_at >= $1 and p.number > 0 and p.status = 'visible' and p.posted_at >= $1 and p.posted_at < $2
   group by p.thread_id, p.account_id`;
/** What of it is new to a follower: not their own, and not there when they came. */
const IS_NEW = 'r.thread_id = f.thread_id and r.author_id <> f.account_id and r.last_at > f.followed_at';

export function createFollowDirectory(pool: Pool): FollowDirectory {
  return {
    async instantFollowers(threadId, before, { after, limit }) {
      const { rows } = await pool.query<{ account_id: string }>({
        name: 'follows-instant',
        text: `select account_id from rm.thread_follows where thread_id = $1 and mail = 'instant' and followed_at <= $2 and ($3::text is null or account_id > $3) order by account_id limit $4`,
        values: [threadId, before.toISOString(), after, limit],
      });
      return rows.map(({ account_id }) => account_id);
    },
    async digestsDue(day, { from, to }, { after, limit }) {
      const { rows } = await pool.query<{ account_id: string }>({
        name: 'follows-digests-due',
        text: `with replies as (${repliesIn('true')})
               select distinct f.account_id from rm.thread_follows f join replies r on ${IS_NEW}
                where f.mail = 'daily' and ($3::text is null or f.account_id > $3)
                  and not exists (select from mail.sent s where s.id = 'digest-' || f.account_id || '-' || $4 and s.state not in ('sending', 'waiting'))
                order by f.account_id limit $5`,
        values: [from.toISOString(), to.toISOString(), after, day, limit],
      });
      return rows.map(({ account_id }) => account_id);
    },
    async repliedThreads(accountId, { from, to }) {
      const { rows } = await pool.query<RepliedThread>({
        name: 'follows-replied-threads',
        text: `with replies as (${repliesIn(`t.thread_id in (select thread_id from rm.thread_follows where account_id = $3 and mail = 'daily')`)})
               select f.thread_id as "threadId", f.followed_at as "followedAt" from rm.thread_follows f join replies r on ${IS_NEW}
                where f.mail = 'daily' and f.account_id = $3
                group by f.thread_id, f.followed_at order by max(r.last_at) desc, f.thread_id`,
        values: [from.toISOString(), to.toISOString(), accountId],
      });
      return rows;
    },
  };
}
