import type { Pool } from 'pg';

/** What is left of somebody in tables that are made of no events. */
export interface Traces {
  /** Ends every session of these accounts that was opened before then. */
  endSessions(accountIds: readonly string[], before: Date): Promise<void>;
  /**
   * Empties every answer that is kept for Idempotency-Keys, whoever asked: it may have had somebody's words in it. The keys stay taken, so that a request that comes again is
   * still not done again.
   */
  emptyAnswers(): Promise<void>;
  /** Forgets up to where an account was told of replies. */
  forgetTold(accountId: string): Promise<void>;
  /** Removes mails from the inbox that nobody is sent: those to an address of which `isTheirs` says so, and those whose text has one of these. */
  removeMails(isTheirs: (to: string) => boolean, texts: readonly string[], before: Date): Promise<void>;
}

const MAIL_PAGE = 1_000;

export function createTraces(pool: Pool): Traces {
  return {
    async endSessions(accountIds, before) {
      await pool.query('delete from auth.sessions where account_id = any($1) and created_at < $2', [
        accountIds,
        before,
      ]);
    },
    async emptyAnswers() {
      await pool.query('update requests.answers set body = null, headers = null where status is not null');
    },
    async forgetTold(accountId) {
      await pool.query('delete from mail.told_replies where account_id = $1', [accountId]);
    },
    async removeMails(isTheirs, texts, before) {
      for (let after = ''; ; ) {
        const { rows } = await pool.query<{ id: string; to: string; text: string }>(
          'select id, "to", text from mail.inbox where id > $1 and at < $2 order by id limit $3',
          [after, before, MAIL_PAGE],
        );
        const meant = rows.filter(({ to, text }) => isTheirs(to) || texts.some((one) => text.includes(one)));
        if (meant.length > 0)
          await pool.query('delete from mail.inbox where id = any($1)', [meant.map(({ id }) => id)]);
        const last = rows.at(-1);
        if (rows.length < MAIL_PAGE || !last) return;
        after = last.id;
      }
    },
  };
}
