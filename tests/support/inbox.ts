import { createInbox, createPool, type ReceivedMail } from '@alpenglow/infra';
import { eventually } from './eventually.ts';
import type { TestProduct } from './product.ts';

/** The mailboxes of all people to whom the tested product sends mail. */
export interface Mailboxes {
  /** Returns all mails to an address, oldest first. */
  mailsTo(email: string): Promise<readonly ReceivedMail[]>;
  /** Waits until an address has a mail whose subject contains `subject`. Returns the newest such mail. */
  waitForMail(email: string, subject: string): Promise<ReceivedMail>;
  /** Returns the 6-digit code in the mail that `waitForMail` returns. */
  waitForCode(email: string, subject: string): Promise<string>;
  close(): Promise<void>;
}

const MANY = 10_000;

export function openMailboxes({ databaseUrl }: Pick<TestProduct, 'databaseUrl'>): Mailboxes {
  const pool = createPool({ connectionString: databaseUrl, max: 1, applicationName: 'test' });
  const inbox = createInbox(pool);
  const of = async (email: string) => (await inbox.latest(MANY)).filter(({ to }) => to === email).reverse();
  const next = (email: string, subject: string) =>
    eventually(async () => {
      const mail = (await of(email)).findLast((mail) => mail.subject.includes(subject));
      if (!mail) throw new Error(`No mail to ${email} about ${subject}`);
      return mail;
    });
  return {
    mailsTo: of,
    waitForMail: next,
    async waitForCode(email, subject) {
      const { text } = await next(email, subject);
      const code = /\b\d{6}\b/u.exec(text)?.[0];
      if (code === undefined) throw new Error(`No code in: ${text}`);
      return code;
    },
    close: () => pool.end(),
  };
}
