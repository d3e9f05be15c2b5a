import { createInbox, createPool, type Inbox } from '@alpenglow/infra';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { describeMailTransport } from './mail.ts';

let database: TestDatabase;
let pool: ReturnType<typeof createPool>;
let inbox: Inbox;
beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = createPool({ connectionString: database.connectionString, max: 2, applicationName: 'test' });
  inbox = createInbox(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describeMailTransport(
  'the inbox',
  async () => {
    await pool.query('delete from mail.inbox');
    return {
      transport: inbox,
      acceptedMails: async () =>
        (await inbox.latest(100)).map(({ id, to, subject, text }) => ({ id, to, subject, text })),
      close: () => Promise.resolve(),
    };
  },
  () => {
    const unreachable = createPool({
      connectionString: 'postgres://nobody@127.0.0.1:1/nothing',
      max: 1,
      applicationName: 'test',
    });
    return Promise.resolve({ ...createInbox(unreachable), close: () => unreachable.end() });
  },
);

const createMail = (id: string) => ({
  id,
  to: 'anna@example.com',
  subject: `Mail ${id}`,
  text: "It's <b>text</b>;\n'); drop table mail.inbox; --",
});
const withoutUnsubscribe = (mail: ReturnType<typeof createMail>) => ({ ...mail, unsubscribeUrl: null });

test('lists sent mails unchanged, newest first, up to the requested number', async () => {
  for (const id of ['1', '2', '3']) await inbox.send(withoutUnsubscribe(createMail(id)));
  expect(await inbox.latest(2)).toEqual([
    { ...createMail('3'), at: expect.any(Date) },
    { ...createMail('2'), at: expect.any(Date) },
  ]);
});

test('stores the first version of a mail when it is sent several times, even concurrently', async () => {
  await Promise.all(Array.from({ length: 5 }, () => inbox.send(withoutUnsubscribe(createMail('again')))));
  await inbox.send(withoutUnsubscribe({ ...createMail('again'), text: 'changed' }));
  const stored = (await inbox.latest(100)).filter(({ id }) => id === 'again');
  expect(stored).toEqual([{ ...createMail('again'), at: expect.any(Date) }]);
});
