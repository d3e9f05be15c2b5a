import { MailUnavailable, type Mail, type MailTransport } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { isBrokenConnection, isOutage } from '../postgres/errors.ts';

export interface ReceivedMail extends Omit<Mail, 'unsubscribeUrl'> {
  readonly at: Date;
}

/** A mail transport for development. It sends nothing, and stores mails in a table, where developers can read them. */
export interface Inbox extends MailTransport {
  /** Returns at most `limit` mails, newest first. */
  latest(limit: number): Promise<readonly ReceivedMail[]>;
  /** Removes mails older than a day, because they contain mail addresses and verification codes. */
  sweep(): Promise<void>;
}

/** The time limit for storing a mail. It is longer than every timeout of the database. */
const SEND_LIMIT_ms = 15_000;

/** Creates the inbox, which stores mails in the table `mail.inbox`. */
export function createInbox(pool: Pool): Inbox {
  return {
    sendTimeout_ms: SEND_LIMIT_ms,
    detectsDuplicates: true,
    async send({ id, to, subject, text }) {
      try {
        await pool.query({
          name: 'inbox-send',
          text: 'insert into mail.inbox (id, "to", subject, text) values ($1, $2, $3, $4) on conflict do nothing',
          values: [id, to, subject, text],
        });
      } catch (error) {
        if (isOutage(error) || isBrokenConnection(error)) throw new MailUnavailable('The inbox cannot be reached');
        throw error;
      }
      return { serverResponse: null };
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
    close: () => Promise.resolve(),
  };
}
