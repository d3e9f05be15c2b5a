import type { Mail, MailSender } from '@alpenglow/domain';
import type { Pool } from 'pg';

export interface ReceivedMail extends Mail {
  readonly at: Date;
}

/** Mails that go nowhere but into a table one can look at. */
export interface Inbox extends MailSender {
  /** The newest mails, newest first. */
  latest(limit: number): Promise<readonly ReceivedMail[]>;
  /** Removes mails older than a day: they carry addresses and codes, and have been read or never will be. */
  sweep(): Promise<void>;
}

/** The inbox in `mail.inbox`. */
export function createInbox(pool: Pool): Inbox {
  return {
    async send({ id, to, subject, text }) {
      await pool.query({
        name: 'inbox-send',
        text: 'insert into mail.inbox (id, "to", subject, text) values ($1, $2, $3, $4) on conflict do nothing',
        values: [id, to, subject, text],
      });
    },
    async latest(limit) {
      const { rows } = await pool.query<ReceivedMail>({
        name: 'inbox-latest',
        text: 'select id, "to", subject, text, at from mail.inbox order by at desc, id desc limit $1',
        values: [limit],
      });
      return rows;
    },
    async sweep() {
      await pool.query(`delete from mail.inbox where at < now() - interval '1 day'`);
    },
  };
}
