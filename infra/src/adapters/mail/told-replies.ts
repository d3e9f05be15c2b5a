import { REPLY_MAILS_APART_ms } from '@alpenglow/domain';
import type { Pool } from 'pg';

export interface Follower {
  readonly accountId: string;
  readonly threadId: string;
}

/** What is to be done about a reply: a mail of these replies, whose id is made of the first; to come back later; or nothing, as it was told of. */
export type Telling =
  | { readonly kind: 'mail'; readonly first: number; readonly upTo: number }
  | { readonly kind: 'later'; readonly after_ms: number; readonly toldUpTo: number }
  | { readonly kind: 'told' };

/** How far those who are mailed of each reply have been told. */
export interface ToldReplies {
  /**
   * Begins the mail that tells a follower of reply `number`, and of all others up to `upTo` not told of yet. Answers the same mail again to
   * whoever asks about a reply in it, so that one that broke off is sent after all; and `later` while the last mail of this thread to this
   * follower is not long enough ago.
   */
  begin(follower: Follower, number: number, upTo: number): Promise<Telling>;
  /** Forgets those who were told of nothing for a day. */
  sweep(): Promise<void>;
}

/** In `mail.told_replies`, for however many processes. Mails are ten minutes apart unless told. */
export function createToldReplies(pool: Pool, { apart_ms = REPLY_MAILS_APART_ms } = {}): ToldReplies {
  return {
    async begin({ accountId, threadId }, number, upTo) {
      const { rows } = await pool.query<{ first: number; upTo: number; left_ms: number }>({
        name: 'told-replies-begin',
        text: `
          with begun as (
            insert into mail.told_replies as known (account_id, thread_id, first, up_to) values ($1, $2, $3, $4)
            on conflict (account_id, thread_id) do update set first = known.up_to + 1, up_to = excluded.up_to, at = now()
            where known.up_to < $3 and known.at <= now() - $5 * interval '1 ms'
            returning first, up_to, 0::float8 as left_ms
          )
          select first, up_to as "upTo", left_ms from begun
          union all
          select first, up_to, extract(epoch from at + $5 * interval '1 ms' - now()) * 1000 from mail.told_replies
            where account_id = $1 and thread_id = $2 and not exists (select from begun)`,
        values: [accountId, threadId, number, upTo, apart_ms],
      });
      const [known] = rows;
      // Somebody else has just begun: their row is younger than what this query could see.
      if (!known) return { kind: 'later', after_ms: 0, toldUpTo: -1 };
      if (number < known.first) return { kind: 'told' };
      if (number <= known.upTo) return { kind: 'mail', first: known.first, upTo: known.upTo };
      return { kind: 'later', after_ms: Math.max(0, Math.ceil(known.left_ms)), toldUpTo: known.upTo };
    },
    async sweep() {
      await pool.query(`delete from mail.told_replies where at < now() - interval '1 day'`);
    },
  };
}
