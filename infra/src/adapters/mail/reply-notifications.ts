import { REPLY_MAIL_INTERVAL_ms } from '@alpenglow/domain';
import type { Pool } from 'pg';

type Follower = Readonly<Record<'accountId' | 'threadId', string>>;

/**
 * The next step for a follower after a new reply in a followed thread. `mail` sends a mail about the replies `first` to
 * `upTo`. The id of the mail is derived from `first`. `later` tries again after a wait. `notified` does nothing,
 * because the follower has already received a mail about the reply.
 */
type ReplyMailStep =
  | { readonly kind: 'mail'; readonly first: number; readonly upTo: number }
  | { readonly kind: 'later'; readonly after_ms: number; readonly notifiedUpTo: number }
  | { readonly kind: 'notified' };

/**
 * Stores which replies of a thread each follower has already been notified of by mail. All processes share the table
 * `mail.told_replies`. `apart_ms` is the minimum time between two mails to a follower about a thread, by default ten
 * minutes.
 */
export function createReplyNotifications(pool: Pool, { apart_ms = REPLY_MAIL_INTERVAL_ms } = {}) {
  return {
    /**
     * Begins a mail that notifies a follower of reply `number`, and of all other new replies up to `upTo`. For every
     * reply in this mail, a later call returns the same mail, so that an interrupted mail is sent again. Returns
     * `later` while the last mail to this follower about this thread is too recent.
     */
    async beginMail({ accountId, threadId }: Follower, number: number, upTo: number): Promise<ReplyMailStep> {
      const { rows } = await pool.query<{ first: number; upTo: number; left_ms: number }>({
        name: 'reply-notifications-begin',
        text: `
          with begun as (
            insert into mail.told_replies as known (account_id, thread_id, first, up_to) values ($1, $2, $3, $4)
            on conflict (account_id, thread_id) do update
               set first = known.up_to + 1, up_to = excluded.up_to, at = now()
             where known.up_to < $3 and known.at <= now() - $5 * interval '1 ms'
            returning first, up_to, 0::float8 as left_ms
          )
          select first, up_to as "upTo", left_ms from begun
          union all
          select first, up_to, extract(epoch from at + $5 * interval '1 ms' - now()) * 1000 from mail.told_replies
            where account_id = $1 and thread_id = $2 and not exists (select from begun)`,
        values: [accountId, threadId, number, upTo, apart_ms],
      });
      const [row] = rows;
      // No row means that another process has just begun a mail, and that the snapshot of this query does not contain
      // its row yet.
      if (!row) return { kind: 'later', after_ms: 0, notifiedUpTo: -1 };
      if (number < row.first) return { kind: 'notified' };
      if (number <= row.upTo) return { kind: 'mail', first: row.first, upTo: row.upTo };
      return { kind: 'later', after_ms: Math.max(0, Math.ceil(row.left_ms)), notifiedUpTo: row.upTo };
    },
    /**
     * Removes the records of notifications that are older than three days. A reply may be mailed for two days, so a
     * repeated job never mails a reply again.
     */
    async sweep(): Promise<void> {
      await pool.query(`delete from mail.told_replies where at < now() - interval '3 days'`);
    },
  };
}
