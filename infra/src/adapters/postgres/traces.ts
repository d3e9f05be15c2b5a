import type { Pool } from 'pg';

const MAIL_PAGE = 1_000;

/** Removes the data of an erased account from tables that are not derived from events. */
export function createTraces(pool: Pool) {
  return {
    /** Ends every session of these accounts that was opened before `before`. */
    async endSessions(accountIds: readonly string[], before: Date): Promise<void> {
      await pool.query('delete from auth.sessions where account_id = any($1) and created_at < $2', [
        accountIds,
        before,
      ]);
    },
    /**
     * Removes the content of all stored responses to requests with an Idempotency-Key, because any of them may contain
     * data of the erased account. The keys stay, so that a repeated request is not handled again.
     */
    async clearStoredResponses(): Promise<void> {
      await pool.query('update requests.answers set body = null, headers = null where status is not null');
    },
    /** Removes the records of the mails that have notified the account of replies in followed threads. */
    async removeReplyNotifications(accountId: string): Promise<void> {
      await pool.query('delete from mail.told_replies where account_id = $1', [accountId]);
      await pool.query(
        `delete from mail.sent
          where (id like 'reply-%' or id like 'digest-%')
            and (starts_with(id, 'reply-' || $1 || '-') or starts_with(id, 'digest-' || $1 || '-'))`,
        [accountId],
      );
    },
    /**
     * Removes mails of the erased account from the inbox table, which stores mails for developers. These are mails to
     * an address for which `isTheirs` returns true, and mails that contain one of `texts`. Mails from `before` or later
     * stay.
     */
    async removeInboxMails(isTheirs: (to: string) => boolean, texts: readonly string[], before: Date): Promise<void> {
      for (let after = ''; ; ) {
        const { rows } = await pool.query<{ id: string; to: string; text: string }>(
          'select id, "to", text from mail.inbox where id > $1 and at < $2 order by id limit $3',
          [after, before, MAIL_PAGE],
        );
        const matching = rows.filter(({ to, text }) => isTheirs(to) || texts.some((part) => text.includes(part)));
        if (matching.length > 0)
          await pool.query('delete from mail.inbox where id = any($1)', [matching.map(({ id }) => id)]);
        const last = rows.at(-1);
        if (rows.length < MAIL_PAGE || !last) return;
        after = last.id;
      }
    },
  };
}
