import { MailRejected, MailUnavailable, MailInProgress, type Mail, type MailTransport } from '@alpenglow/domain';
import { createPool, createRecordingMailSender, type Pool } from '@alpenglow/infra';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

/**
 * Lifetime of a claim, which is the exclusive right of a process to send a mail. It exceeds the duration of
 * every test, so only `endClaims` ends a claim.
 */
const LOCK_ms = 600_000;
const mail: Mail = {
  id: 'verification-1',
  to: 'anna@example.com',
  subject: 'Your Alpenglow code',
  text: 'your code is 123456.',
  unsubscribeUrl: null,
};

let database: TestDatabase;
/** The connection pools of two processes. */
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

/**
 * Returns a transport that uses the next of `handlers` for each mail. The last handler is used for all
 * further mails.
 */
function createTransport(
  ...handlers: readonly ((mail: Mail) => Promise<string | null>)[]
): MailTransport & { readonly attempts: Mail[] } {
  const attempts: Mail[] = [];
  return {
    attempts,
    sendTimeout_ms: LOCK_ms,
    detectsDuplicates: false,
    async send(item) {
      const handle = handlers[Math.min(attempts.length, handlers.length - 1)];
      attempts.push(item);
      return { serverResponse: (await handle?.(item)) ?? null };
    },
    close: () => Promise.resolve(),
  };
}
const accept = () => Promise.resolve('250 queued as ABC123');
const neverRespond = () => new Promise<never>(() => undefined);
const createSender = (transport: MailTransport, pool = pools[0]) =>
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
      `select id, state, attempts, broken_off as "brokenOff", locked_until is not null as "isLocked", answer
         from mail.sent
        order by id`,
    )
  ).rows as unknown[];

test('a mail is sent once for several requests, and recorded without address, subject or text', async () => {
  const transport = createTransport(accept);
  for (const pool of [pools[0], pools[1], pools[0]]) await createSender(transport, pool).send(mail);
  expect(transport.attempts).toEqual([mail]);
  expect(await rows()).toEqual([
    { id: 'verification-1', state: 'sent', attempts: 1, brokenOff: 0, isLocked: false, answer: '250 queued as ABC123' },
  ]);
  const { rows: columns } = await pools[0].query(`select to_jsonb(s)::text as row from mail.sent s`);
  expect(JSON.stringify(columns)).not.toMatch(/anna|123456|Alpenglow/u);
});

test('of twenty parallel sends in two processes, one sends the mail and the others retry later', async () => {
  let finish: () => void = () => undefined;
  const transport = createTransport(() => new Promise<null>((resolve) => (finish = () => resolve(null))));
  let others = 0;
  const sendings = Array.from({ length: 20 }, async (_, index) => {
    const result = await failure(createSender(transport, pools[index % 2]).send(mail));
    if (result) others += 1;
    return result;
  });
  await eventually(() => expect([others, transport.attempts.length]).toEqual([19, 1]));
  finish();
  const results = await Promise.all(sendings);
  expect(transport.attempts).toHaveLength(1);
  expect(results.filter((result) => result === null)).toHaveLength(1);
  for (const result of results.filter((item) => item !== null)) {
    expect(result).toBeInstanceOf(MailInProgress);
    expect((result as MailInProgress).retryAfter_ms).toBeLessThanOrEqual(LOCK_ms);
    expect((result as MailInProgress).retryAfter_ms).toSatisfy(Number.isInteger);
  }
  await createSender(transport, pools[1]).send(mail);
  expect(transport.attempts).toHaveLength(1);
});

test('a pending mail does not block other mails', async () => {
  const hanging = createTransport(neverRespond);
  void createSender(hanging).send(mail);
  await expect.poll(() => hanging.attempts.length).toBe(1);
  const transport = createTransport(accept);
  await createSender(transport).send({ ...mail, id: 'verification-2' });
  expect(transport.attempts).toHaveLength(1);
});

test('a mail that was not accepted is tried again, and then recorded once', async () => {
  const away = () => Promise.reject(new MailUnavailable('away'));
  const transport = createTransport(away, away, accept);
  const sender = createSender(transport);
  expect(await failure(sender.send(mail))).toEqual(new MailUnavailable('away'));
  expect(await rows()).toMatchObject([{ state: 'waiting', attempts: 1, isLocked: false }]);
  await failure(sender.send(mail));
  await sender.send(mail);
  await sender.send(mail);
  expect(transport.attempts).toHaveLength(3);
  expect(await rows()).toMatchObject([{ state: 'sent', attempts: 3, brokenOff: 0 }]);
});

test('a permanently rejected mail is not tried again', async () => {
  const transport = createTransport(() => Promise.reject(new MailRejected('550 no such user')));
  const sender = createSender(transport);
  for (let time = 0; time < 2; time += 1) expect(await failure(sender.send(mail))).toBeInstanceOf(MailRejected);
  expect(transport.attempts).toHaveLength(1);
  expect(await rows()).toMatchObject([{ state: 'refused', answer: '550 no such user' }]);
});

test('a mail whose process ends between sending and recording is sent again, but not a third time', async () => {
  const transport = createTransport(neverRespond);
  void createSender(transport).send(mail);
  await expect.poll(() => transport.attempts.length).toBe(1);
  expect(await failure(createSender(transport, pools[1]).send(mail))).toBeInstanceOf(MailInProgress);
  await endClaims();
  void createSender(transport, pools[1]).send(mail);
  await expect.poll(() => transport.attempts.length).toBe(2);
  expect(transport.attempts[1]).toEqual(transport.attempts[0]);
  await endClaims();
  for (let time = 0; time < 2; time += 1)
    expect(await failure(createSender(transport).send(mail))).toEqual(
      new MailRejected(
        'Sending the mail was interrupted twice: it may have been accepted, and is not sent a third time',
      ),
    );
  expect(transport.attempts).toHaveLength(2);
  expect(await rows()).toMatchObject([{ state: 'lost', attempts: 2, brokenOff: 2 }]);
});

test.each([
  ['breaks', () => Promise.reject(new Error('read ECONNRESET'))],
  ['does not respond', neverRespond],
])('a mail is not sent again if the connection %s while its result is recorded', async (_event, interrupt) => {
  let failures = 0;
  const unreliable = new Proxy(pools[0], {
    get(pool, property) {
      const value: unknown = Reflect.get(pool, property);
      if (property !== 'query') return value;
      return (query: { readonly name: string; readonly text: string }) => {
        if (query.name !== 'mail-record' || failures === 2) return pool.query(query);
        failures += 1;
        return interrupt();
      };
    },
  });
  const transport = createTransport(accept);
  await createSender(transport, unreliable).send(mail);
  expect(failures).toBe(2);
  await endClaims();
  await createSender(transport, pools[1]).send(mail);
  expect(transport.attempts).toHaveLength(1);
});

test('a mail that is sent after its lock has expired is still recorded as sent', async () => {
  let finish: () => void = () => undefined;
  const slow = createTransport(() => new Promise<null>((resolve) => (finish = () => resolve(null))));
  const sending = createSender(slow).send(mail);
  await expect.poll(() => slow.attempts.length).toBe(1);
  await endClaims();
  const next = createTransport(() => Promise.reject(new MailUnavailable('away')));
  await failure(createSender(next, pools[1]).send(mail));
  finish();
  await sending;
  await createSender(next).send(mail);
  expect(next.attempts).toHaveLength(1);
  expect(await rows()).toMatchObject([{ state: 'sent' }]);
});

test('a late failure does not overwrite a mail that another process has sent in the meantime', async () => {
  let fail: () => void = () => undefined;
  const slow = createTransport(
    () => new Promise((_resolve, reject) => (fail = () => reject(new MailUnavailable('timeout')))),
  );
  const sending = failure(createSender(slow).send(mail));
  await expect.poll(() => slow.attempts.length).toBe(1);
  await endClaims();
  const next = createTransport(accept);
  await createSender(next, pools[1]).send(mail);
  fail();
  expect(await sending).toBeInstanceOf(MailUnavailable);
  expect(await rows()).toMatchObject([{ state: 'sent', attempts: 2, brokenOff: 1 }]);
});

test('a transport that removes duplicates itself may send a mail any number of times', async () => {
  const transport = { ...createTransport(neverRespond), detectsDuplicates: true };
  for (let time = 0; time < 4; time += 1) {
    void createSender(transport).send(mail);
    await expect.poll(() => transport.attempts.length).toBe(time + 1);
    await endClaims();
  }
});

test('the record of a mail is never deleted, except after three days if it contains the id of an account', async () => {
  const sender = createSender(createTransport(accept));
  for (const id of ['decision-1', 'digest-anna-2026-03-01', 'reply-anna-t1-1', 'verification-1'])
    await sender.send({ ...mail, id });
  await pools[0].query(`update mail.sent set at = now() - interval '73 hours'`);
  await sender.send({ ...mail, id: 'reply-anna-t1-2' });
  await sender.sweep();
  expect(await rows()).toMatchObject([{ id: 'decision-1' }, { id: 'reply-anna-t1-2' }, { id: 'verification-1' }]);
});
