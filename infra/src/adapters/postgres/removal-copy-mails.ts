import type { Pool } from './pool.ts';
import { inTransaction } from './transaction.ts';

/** The time for which a mail that was sent is remembered. */
const REMEMBERED = '7 days';
/** The time after which a mail with one copy that was not sent counts as failed. */
const FAILED_AFTER = '1 hour';

/** A mail with several copies. */
export interface CopyDigest {
  readonly mailId: string;
  readonly requestIds: readonly string[];
}

/**
 * Records which mail to the operator contains the second copy of each removal request, so that the number of mails is
 * limited, and every request is in one of them.
 */
export type RemovalCopyMails = ReturnType<typeof createRemovalCopyMails>;

/** Returns the id of the mail with the copy of one request. */
const singleMailId = (requestId: string) => `removal-copy-${requestId}`;

export function createRemovalCopyMails(pool: Pool) {
  return {
    /**
     * Decides how the copy of a request is mailed. Returns the id of its own mail, or null if more than `max_per_h`
     * requests of the last hour have one, so that the request waits for a mail with several copies. A repeated call
     * returns the same result.
     */
    claim: (requestId: string, max_per_h: number): Promise<string | null> =>
      inTransaction(pool, async (client) => {
        // Two processes could otherwise use the last mail of an hour.
        await client.query('lock table jobs.removal_copies in share row exclusive mode');
        await client.query(
          `insert into jobs.removal_copies (request_id, mail_id, claimed_at)
           select $1::text, mail_id, case when mail_id is not null then now() end
             from (select case when count(*) < $3::int then $2::text end as mail_id from jobs.removal_copies
                    where mail_id = 'removal-copy-' || request_id and claimed_at > now() - interval '1 hour') as next
           on conflict (request_id) do nothing`,
          [requestId, singleMailId(requestId), max_per_h],
        );
        const { rows } = await client.query<{ mailId: string | null }>(
          'select mail_id as "mailId" from jobs.removal_copies where request_id = $1',
          [requestId],
        );
        return rows[0]?.mailId === singleMailId(requestId) ? singleMailId(requestId) : null;
      }),

    /** Records that a mail was sent. */
    async markSent(mailId: string): Promise<void> {
      await pool.query({
        name: 'removal-copies-sent',
        text: 'update jobs.removal_copies set sent_at = coalesce(sent_at, now()) where mail_id = $1',
        values: [mailId],
      });
    },

    /** Returns the mails with several copies that were not sent, because a process ended before. */
    async listUnsentDigests(): Promise<readonly CopyDigest[]> {
      const { rows } = await pool.query<CopyDigest>({
        name: 'unsent-removal-copies',
        text: `select mail_id as "mailId", array_agg(request_id order by created_at, request_id) as "requestIds"
                 from jobs.removal_copies
                where sent_at is null and mail_id <> 'removal-copy-' || request_id
                group by mail_id order by mail_id`,
      });
      return rows;
    },

    /**
     * Returns up to `limit` requests that wait for a mail with several copies, the earliest first. These are also the
     * ones whose own mail was not sent for an hour.
     */
    async listWaiting(limit: number): Promise<readonly string[]> {
      const { rows } = await pool.query<{ requestId: string }>({
        name: 'waiting-removal-copies',
        text: `select request_id as "requestId" from jobs.removal_copies
                where sent_at is null
                  and (mail_id is null
                       or (mail_id = 'removal-copy-' || request_id
                           and claimed_at < now() - interval '${FAILED_AFTER}'))
                order by created_at, request_id limit $1`,
        values: [limit],
      });
      return rows.map(({ requestId }) => requestId);
    },

    /** Assigns requests to a mail with several copies. */
    async assign({ mailId, requestIds }: CopyDigest): Promise<void> {
      await pool.query({
        name: 'assign-removal-copies',
        text: `update jobs.removal_copies set mail_id = $1, claimed_at = now()
                where request_id = any($2) and sent_at is null`,
        values: [mailId, requestIds],
      });
    },

    /** Lets requests wait for another mail, because this one cannot contain them. */
    async release(requestIds: readonly string[]): Promise<void> {
      await pool.query({
        name: 'release-removal-copies',
        text: `update jobs.removal_copies set mail_id = null, claimed_at = null
                where request_id = any($1) and sent_at is null`,
        values: [requestIds],
      });
    },

    /** Forgets requests that need no copy any more, and mails that were sent long ago. */
    async forget(requestIds: readonly string[]): Promise<void> {
      await pool.query({
        name: 'forget-removal-copies',
        text: `delete from jobs.removal_copies
                where request_id = any($1) or sent_at < now() - interval '${REMEMBERED}'`,
        values: [requestIds],
      });
    },
  };
}
