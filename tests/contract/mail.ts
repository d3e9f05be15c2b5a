import { MailUnavailable, type Mail, type MailTransport } from '@alpenglow/domain';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/** As its receiver sees it: how a mail says where it can be ended is each transport's own. */
export type TakenMail = Omit<Mail, 'unsubscribeUrl'>;

export interface MailSystem {
  readonly transport: MailTransport;
  /** What was taken so far. Line ends are `\n`; the id is as its receiver sees it. */
  taken(): Promise<readonly TakenMail[]>;
  close(): Promise<void>;
}

const letter = (id: string, changes: Partial<TakenMail> = {}): TakenMail => ({
  id,
  to: 'anna@example.com',
  subject: 'Your Alpenglow code',
  text: 'Hello,\n\nyour code is 123456.',
  ...changes,
});
const sent = (mail: TakenMail): Mail => ({ ...mail, unsubscribeUrl: null });

/** What every transport promises. `openAway` gives one whose server is not there. */
export function mailTransportContract(
  name: string,
  open: () => Promise<MailSystem>,
  openAway: () => Promise<MailTransport>,
): void {
  describe(`${name} as a mail transport`, () => {
    let system: MailSystem;
    beforeEach(async () => {
      system = await open();
    });
    afterEach(() => system.close());

    test('takes a mail as it is', async () => {
      const mail = letter('verification-1');
      await system.transport.send(sent(mail));
      expect(await system.taken()).toEqual([mail]);
    });

    test.each([
      ['letters of any language', { subject: 'Grüezi aus Zürich – 你好 🏔️', text: 'Für Zoë: ça va?\n你好 🏔️' }],
      ['lines that mail servers mistake for their own', { text: '.\n..\nFrom here on\n.end' }],
      ['a line longer than a mail may have', { text: `begin ${'word '.repeat(400)}end` }],
      [
        'markup and quotes, as text',
        { subject: '"A" <b> & \'c\'', text: `It's <b>text</b>;\n'); drop table mail.inbox; -- {{name}} ${'$'}{x}` },
      ],
    ])('takes %s', async (_, changes) => {
      const mail = letter('verification-1', changes);
      await system.transport.send(sent(mail));
      expect(await system.taken()).toEqual([mail]);
    });

    test.each(["o'brien+tag@example.com", 'a.b_c-d@sub.example.co.uk'])(
      'mails exactly %s, and nobody else',
      async (to) => {
        await system.transport.send(sent(letter('verification-1', { to })));
        expect((await system.taken()).map((mail) => mail.to)).toEqual([to]);
      },
    );

    test('a mail sent again can be told to be the same', async () => {
      await system.transport.send(sent(letter('verification-1')));
      await system.transport.send(sent(letter('verification-1')));
      expect([...new Set((await system.taken()).map(({ id }) => id))]).toEqual(['verification-1']);
    });

    test('takes many at once', async () => {
      const ids = Array.from({ length: 12 }, (_, index) => `verification-${index}`);
      await Promise.all(ids.map((id) => system.transport.send(sent(letter(id)))));
      expect((await system.taken()).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    });

    test('says within its limit that nobody takes mails now, without the address or the text', async () => {
      const away = await openAway();
      // It stays away: one that waited without a limit would never say so.
      const error: unknown = await away.send(sent(letter('verification-1'))).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(MailUnavailable);
      const said = `${String(error)} ${(error as Error).stack ?? ''} ${JSON.stringify((error as Error).cause) ?? ''}`;
      expect(said).not.toContain('anna');
      expect(said).not.toContain('123456');
      await away.close();
    });
  });
}
