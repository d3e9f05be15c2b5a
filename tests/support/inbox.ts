import { createInbox, createPool, type ReceivedMail } from '@alpenglow/infra';
import { eventually } from './eventually.ts';
import type { TestProduct } from './product.ts';

/** The mailboxes of everybody a product writes to. */
export interface Mailboxes {
  /** Every mail to an address so far, oldest first. */
  of(email: string): Promise<readonly ReceivedMail[]>;
  /** The newest mail to an address with these words in its subject, once it has come. */
  next(email: string, subject: string): Promise<ReceivedMail>;
  /** The code in that mail. */
  code(email: string, subject: string): Promise<string>;
  close(): Promise<void>;
}

const MANY = 10_000;

export function openMailboxes({ databaseUrl }: Pick<TestProduct, 'databaseUrl'>): Mailboxes {
  const pool = createPool({ connectionString: databaseUrl, max: 1, applicationName: 'test' });
  const inbox = createInbox(pool);
  const of = async (email: string) => (await inbox.latest(MANY)).filter(({ to }) => to === email).reverse();
  const next = (email: string, subject: string) =>
    eventually(async () => {
      const found = (await of(email)).findLast((mail) => mail.subject.includes(subject));
      if (!found) throw new Error(`No mail to ${email} about ${subject}`);
      return found;
    });
  return {
    of,
    next,
    async code(email, subject) {
      const { text } = await next(email, subject);
      const code = /\b\d{6}\b/u.exec(text)?.[0];
      if (code === undefined) throw new Error(`No code in: ${text}`);
      return code;
    },
    close: () => pool.end(),
  };
}
