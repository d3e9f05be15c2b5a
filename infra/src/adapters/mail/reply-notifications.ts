import { REPLY_MAIL_INTERVAL_ms } from '@alpenglow/domain';
import type { Pool } from 'pg';

interface Followers {
  readonly threadId: string;
  readonly accountIds: readonly string[];
}

/** The replies that the last mail to a follower covers. */
interface NotifiedReplies {
  readonly accountId: string;
  readonly first: number;
  readonly upTo: number;
  /** The time until the next mail may be sent. */
  readonly left_ms: number;
  /** True if the mail was sent or rejected. */
  readonly isFinal: boolean;
}

/**
 * The next step for a follower after a new reply in a followed thread. `mail` sends a mail about the replies `first` to
 * `upTo`. The id of the mail is derived from `first`. `later` tries again after a wait. `notified` does nothing,
 * because the follower has already received a mail about the reply.
 */
export type ReplyMailStep =
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
     * Begins a mail that notifies each of these followers of reply `number`, and of all other new replies up to `upTo`.
     * For every reply in this mail, a later call returns the same mail, so that an interrupted mail is sent again.
     * Returns `later` while the last mail to this follower about this thread is too recent. Returns a step for each
     * account id. Uses one statement for all followers.
     */
    async beginMails(
      { threadId, accountIds }: Followers,
      number: number,
      upTo: number,
    ): Promise<ReadonlyMap<string, ReplyMailStep>> {
      const { rows } = await pool.query<NotifiedReplies>({
        name: 'reply-notifications-begin',
        text: `
          with begun as (
            insert into mail.told_replies as known (account_id, thread_id, first, up_to)
            select account_id, $2, $3, $4 from unnest($1::text[]) as account_id order by account_id
            on conflict (account_id, thread_id) do update
               set first = known.up_to + 1, up_to = excluded.up_to, at = now()
             where known.up_to < $3 and known.at <= now() - $5 * interval '1 ms'
            returning account_id, first, up_to, 0::float8 as left_ms
          )
          select account_id as "accountId", first, up_to as "upTo", left_ms, false as "isFinal" from begun
          union all
          select account_id, first, up_to, extract(epoch from at + $5 * interval '1 ms' - now()) * 1000, false
            from mail.told_replies t
           where thread_id = $2 and account_id = any ($1)
             and not exists (select from begun b where b.account_id = t.account_id)`,
        values: [accountIds, threadId, number, upTo, apart_ms],
      });
      const notified = new Map(rows.map((row) => [row.accountId, row]));
      return new Map(accountIds.map((accountId) => [accountId, stepOf(notified.get(accountId), number)]));
    },
    /**
     * Returns the followers for whom nothing can be done about reply `number` now, each with the reason, without
     * beginning a mail. `notified` means that the mail about the reply was sent or rejected, or that an earlier mail
     * covers the reply. Uses one statement for all followers, and reads no events.
     */
    async findDone(
      { threadId, accountIds }: Followers,
      number: number,
    ): Promise<ReadonlyMap<string, Exclude<ReplyMailStep, { readonly kind: 'mail' }>>> {
      const { rows } = await pool.query<NotifiedReplies>({
        name: 'reply-notifications-done',
        text: `
          select account_id as "accountId", first, up_to as "upTo",
                 extract(epoch from at + $4 * interval '1 ms' - now()) * 1000 as left_ms,
                 exists (select from mail.sent s
                          where s.id = 'reply-' || t.account_id || '-' || t.thread_id || '-' || t.first
                            and s.state not in ('sending', 'waiting')) as "isFinal"
            from mail.told_replies t
           where thread_id = $2 and account_id = any ($1)
             and (up_to >= $3 or at > now() - $4 * interval '1 ms')`,
        values: [accountIds, threadId, number, apart_ms],
      });
      return new Map(
        rows.flatMap((row) => {
          const step = stepOf(row, number);
          if (step.kind !== 'mail') return [[row.accountId, step] as const];
          return row.isFinal ? [[row.accountId, { kind: 'notified' }] as const] : [];
        }),
      );
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

function stepOf(notified: NotifiedReplies | undefined, number: number): ReplyMailStep {
  // No row means that another process has just begun a mail, and that the snapshot of the query does not contain its
  // row yet.
  if (!notified) return { kind: 'later', after_ms: 0, notifiedUpTo: -1 };
  if (number < notified.first) return { kind: 'notified' };
  if (number <= notified.upTo) return { kind: 'mail', first: notified.first, upTo: notified.upTo };
  return { kind: 'later', after_ms: Math.max(0, Math.ceil(notified.left_ms)), notifiedUpTo: notified.upTo };
}
