import { createInbox, createPool, type Inbox } from '@alpenglow/infra';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { mailTransportContract } from './mail.ts';

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

mailTransportContract(
  'the inbox',
  async () => {
    await pool.query('delete from mail.inbox');
    return {
      transport: inbox,
      taken: async () => (await inbox.latest(100)).map(({ id, to, subject, text }) => ({ id, to, subject, text })),
      close: () => Promise.resolve(),
    };
  },
  () => {
    const away = createPool({
      connectionString: 'postgres://nobody@127.0.0.1:1/nothing',
      max: 1,
      applicationName: 'test',
    });
    return Promise.resolve({ ...createInbox(away), close: () => away.end() });
  },
);

const mail = (id: string) => ({
  id,
  to: 'anna@example.com',
  subject: `Mail ${id}`,
  text: "It's <b>text</b>;\n'); drop table mail.inbox; --",
});
const sent = (one: ReturnType<typeof mail>) => ({ ...one, unsubscribeUrl: null });

test('shows mails as they were sent, the newest first, and no more than asked for', async () => {
  for (const id of ['1', '2', '3']) await inbox.send(sent(mail(id)));
  expect(await inbox.latest(2)).toEqual([
    { ...mail('3'), at: expect.any(Date) },
    { ...mail('2'), at: expect.any(Date) },
  ]);
});

test('a mail sent twice, even at once, is there once, as it was first', async () => {
  await Promise.all(Array.from({ length: 5 }, () => inbox.send(sent(mail('again')))));
  await inbox.send(sent({ ...mail('again'), text: 'changed' }));
  const found = (await inbox.latest(100)).filter(({ id }) => id === 'again');
  expect(found).toEqual([{ ...mail('again'), at: expect.any(Date) }]);
});
