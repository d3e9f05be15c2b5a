import { MailUnavailable, type Mail, type MailTransport } from '@alpenglow/domain';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/**
 * A mail that the recipient received. It has no unsubscribe URL, because each transport sends this URL in its
 * own format.
 */
type AcceptedMail = Omit<Mail, 'unsubscribeUrl'>;

export interface MailTransportFixture {
  readonly transport: MailTransport;
  /** Returns all accepted mails with the ids that the recipients receive. Line ends are `\n`. */
  acceptedMails(): Promise<readonly AcceptedMail[]>;
  close(): Promise<void>;
}

const createMail = (id: string, changes: Partial<AcceptedMail> = {}): AcceptedMail => ({
  id,
  to: 'anna@example.com',
  subject: 'Your Alpenglow code',
  text: 'Hello,\n\nyour code is 123456.',
  ...changes,
});
const withoutUnsubscribe = (mail: AcceptedMail): Mail => ({ ...mail, unsubscribeUrl: null });

/** Tests what every mail transport guarantees. `openUnreachable` opens a transport whose server cannot be reached. */
export function describeMailTransport(
  name: string,
  open: () => Promise<MailTransportFixture>,
  openUnreachable: () => Promise<MailTransport>,
): void {
  describe(`${name} as a mail transport`, () => {
    let system: MailTransportFixture;
    beforeEach(async () => {
      system = await open();
    });
    afterEach(() => system.close());

    test('delivers a mail unchanged', async () => {
      const mail = createMail('verification-1');
      await system.transport.send(withoutUnsubscribe(mail));
      expect(await system.acceptedMails()).toEqual([mail]);
    });

    test.each([
      ['characters of any language', { subject: 'Grüezi aus Zürich – 你好 🏔️', text: 'Für Zoë: ça va?\n你好 🏔️' }],
      ['lines that look like SMTP commands', { text: '.\n..\nFrom here on\n.end' }],
      ['a line longer than the SMTP limit', { text: `begin ${'word '.repeat(400)}end` }],
      [
        'markup and quotes',
        { subject: '"A" <b> & \'c\'', text: `It's <b>text</b>;\n'); drop table mail.inbox; -- {{name}} ${'$'}{x}` },
      ],
    ])('delivers %s as text', async (_, changes) => {
      const mail = createMail('verification-1', changes);
      await system.transport.send(withoutUnsubscribe(mail));
      expect(await system.acceptedMails()).toEqual([mail]);
    });

    test.each(["o'brien+tag@example.com", 'a.b_c-d@sub.example.co.uk'])('sends the mail to %s only', async (to) => {
      await system.transport.send(withoutUnsubscribe(createMail('verification-1', { to })));
      expect((await system.acceptedMails()).map((mail) => mail.to)).toEqual([to]);
    });

    test('uses the same id for a repeated mail', async () => {
      await system.transport.send(withoutUnsubscribe(createMail('verification-1')));
      await system.transport.send(withoutUnsubscribe(createMail('verification-1')));
      expect([...new Set((await system.acceptedMails()).map(({ id }) => id))]).toEqual(['verification-1']);
    });

    test('accepts several mails at once', async () => {
      const ids = Array.from({ length: 12 }, (_, index) => `verification-${index}`);
      await Promise.all(ids.map((id) => system.transport.send(withoutUnsubscribe(createMail(id)))));
      expect((await system.acceptedMails()).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    });

    test('reports an outage within its limit, without the address or the text of the mail', async () => {
      const transport = await openUnreachable();
      // The mail server stays unavailable, so `send` must end after its time limit.
      const error: unknown = await transport
        .send(withoutUnsubscribe(createMail('verification-1')))
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(MailUnavailable);
      const text = `${String(error)} ${(error as Error).stack ?? ''} ${JSON.stringify((error as Error).cause) ?? ''}`;
      expect(text).not.toContain('anna');
      expect(text).not.toContain('123456');
      await transport.close();
    });
  });
}
