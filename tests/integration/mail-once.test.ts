import { MailRefused, MailUnavailable, MailUnderWay, type Mail, type MailTransport } from '@alpenglow/domain';
import { createPool, createRecordingMailSender, type Pool } from '@alpenglow/infra';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

/** Longer than any test: claims end when a test says so. */
const LOCK_ms = 600_000;
const mail: Mail = {
  id: 'verification-1',
  to: 'anna@example.com',
  subject: 'Your Alpenglow code',
  text: 'your code is 123456.',
  unsubscribeUrl: null,
};

let database: TestDatabase;
/** Of two processes. */
let pools: readonly [Pool, Pool];
beforeAll(async () => {
  database = await createMigratedDatabase();
  const open = () => createPool({ connectionString: database.connectionString, max: 4, applicationName: 'test' });
  pools = [open(), open()];
});
afterAll(async () => {
  for (const pool of pools) await pool.end();
  await database.drop();
});
beforeEach(() => pools[0].query('delete from mail.sent'));

/** A transport that does what it is told with each mail, the last again and again. */
function transportThat(
  ...ways: readonly ((mail: Mail) => Promise<string | null>)[]
): MailTransport & { readonly asked: Mail[] } {
  const asked: Mail[] = [];
  return {
    asked,
    sendLimit_ms: LOCK_ms,
    takesOnce: false,
    async send(one) {
      const way = ways[Math.min(asked.length, ways.length - 1)];
      asked.push(one);
      return { answer: (await way?.(one)) ?? null };
    },
    close: () => Promise.resolve(),
  };
}
const takes = () => Promise.resolve('250 queued as ABC123');
const dies = () => new Promise<never>(() => undefined);
const senderOf = (transport: MailTransport, pool = pools[0]) =>
  createRecordingMailSender(pool, transport, { lockMargin_ms: 0 });
const endClaims = () => pools[0].query(`update mail.sent set locked_until = now() where locked_until is not null`);
const failure = (sending: Promise<void>) =>
  sending.then(
    () => null,
    (error: unknown) => error as Error,
  );
const rows = async () =>
  (
    await pools[0].query(
      'select id, state, attempts, broken_off as "brokenOff", locked_until is not null as "isLocked", answer from mail.sent order by id',
    )
  ).rows as unknown[];

test('a mail is sent once, however often it is asked for, and recorded without address, subject or text', async () => {
  const transport = transportThat(takes);
  for (const pool of [pools[0], pools[1], pools[0]]) await senderOf(transport, pool).send(mail);
  expect(transport.asked).toEqual([mail]);
  expect(await rows()).toEqual([
    { id: 'verification-1', state: 'sent', attempts: 1, brokenOff: 0, isLocked: false, answer: '250 queued as ABC123' },
  ]);
  const { rows: columns } = await pools[0].query(`select to_jsonb(s)::text as row from mail.sent s`);
  expect(JSON.stringify(columns)).not.toMatch(/anna|123456|Alpenglow/u);
});

test('of twenty at once, in two processes, one sends; the others come back later', async () => {
  let finish: () => void = () => undefined;
  const transport = transportThat(() => new Promise<null>((resolve) => (finish = () => resolve(null))));
  let others = 0;
  const sendings = Array.from({ length: 20 }, async (_, index) => {
    const end = await failure(senderOf(transport, pools[index % 2]).send(mail));
    if (end) others += 1;
    return end;
  });
  await eventually(() => expect([others, transport.asked.length]).toEqual([19, 1]));
  finish();
  const ends = await Promise.all(sendings);
  expect(transport.asked).toHaveLength(1);
  expect(ends.filter((end) => end === null)).toHaveLength(1);
  for (const end of ends.filter((one) => one !== null)) {
    expect(end).toBeInstanceOf(MailUnderWay);
    expect((end as MailUnderWay).retryAfter_ms).toBeLessThanOrEqual(LOCK_ms);
    expect((end as MailUnderWay).retryAfter_ms).toSatisfy(Number.isInteger);
  }
  await senderOf(transport, pools[1]).send(mail);
  expect(transport.asked).toHaveLength(1);
});

test('other mails are not held up', async () => {
  void senderOf(transportThat(dies)).send(mail);
  const transport = transportThat(takes);
  await senderOf(transport).send({ ...mail, id: 'verification-2' });
  expect(transport.asked).toHaveLength(1);
});

test('one that was not taken is tried again, and then recorded once', async () => {
  const away = () => Promise.reject(new MailUnavailable('away'));
  const transport = transportThat(away, away, takes);
  const sender = senderOf(transport);
  expect(await failure(sender.send(mail))).toEqual(new MailUnavailable('away'));
  expect(await rows()).toMatchObject([{ state: 'waiting', attempts: 1, isLocked: false }]);
  await failure(sender.send(mail));
  await sender.send(mail);
  await sender.send(mail);
  expect(transport.asked).toHaveLength(3);
  expect(await rows()).toMatchObject([{ state: 'sent', attempts: 3, brokenOff: 0 }]);
});

test('one that was refused for good is not tried again', async () => {
  const transport = transportThat(() => Promise.reject(new MailRefused('550 no such user')));
  const sender = senderOf(transport);
  for (let time = 0; time < 2; time += 1) expect(await failure(sender.send(mail))).toBeInstanceOf(MailRefused);
  expect(transport.asked).toHaveLength(1);
  expect(await rows()).toMatchObject([{ state: 'refused', answer: '550 no such user' }]);
});

test('whoever dies between sending and recording has it sent once more, never a third time', async () => {
  const transport = transportThat(dies);
  void senderOf(transport).send(mail);
  await expect.poll(() => transport.asked.length).toBe(1);
  expect(await failure(senderOf(transport, pools[1]).send(mail))).toBeInstanceOf(MailUnderWay);
  await endClaims();
  void senderOf(transport, pools[1]).send(mail);
  await expect.poll(() => transport.asked.length).toBe(2);
  expect(transport.asked[1]).toEqual(transport.asked[0]);
  await endClaims();
  for (let time = 0; time < 2; time += 1)
    expect(await failure(senderOf(transport).send(mail))).toEqual(
      new MailRefused('Sending the mail was broken off twice: it may have been taken, and is not sent a third time'),
    );
  expect(transport.asked).toHaveLength(2);
  expect(await rows()).toMatchObject([{ state: 'lost', attempts: 2, brokenOff: 2 }]);
});

test('one that takes longer than its claim is recorded as sent all the same', async () => {
  let finish: () => void = () => undefined;
  const slow = transportThat(() => new Promise<null>((resolve) => (finish = () => resolve(null))));
  const sending = senderOf(slow).send(mail);
  await expect.poll(() => slow.asked.length).toBe(1);
  await endClaims();
  const next = transportThat(() => Promise.reject(new MailUnavailable('away')));
  await failure(senderOf(next, pools[1]).send(mail));
  finish();
  await sending;
  await senderOf(next).send(mail);
  expect(next.asked).toHaveLength(1);
  expect(await rows()).toMatchObject([{ state: 'sent' }]);
});

test('a late failure does not undo what another process has sent meanwhile', async () => {
  let fail: () => void = () => undefined;
  const slow = transportThat(
    () => new Promise((_resolve, reject) => (fail = () => reject(new MailUnavailable('timeout')))),
  );
  const sending = failure(senderOf(slow).send(mail));
  await expect.poll(() => slow.asked.length).toBe(1);
  await endClaims();
  const next = transportThat(takes);
  await senderOf(next, pools[1]).send(mail);
  fail();
  expect(await sending).toBeInstanceOf(MailUnavailable);
  expect(await rows()).toMatchObject([{ state: 'sent', attempts: 2, brokenOff: 1 }]);
});

test('a transport that takes a mail once by itself may be asked as often as it takes', async () => {
  const transport = { ...transportThat(dies), takesOnce: true };
  for (let time = 0; time < 4; time += 1) {
    void senderOf(transport).send(mail);
    await expect.poll(() => transport.asked.length).toBe(time + 1);
    await endClaims();
  }
});

test('what became of a mail is forgotten after three days', async () => {
  const sender = senderOf(transportThat(takes));
  await sender.send(mail);
  await sender.send({ ...mail, id: 'verification-2' });
  await pools[0].query(`update mail.sent set at = now() - interval '73 hours' where id = 'verification-1'`);
  await sender.sweep();
  expect(await rows()).toMatchObject([{ id: 'verification-2' }]);
});
