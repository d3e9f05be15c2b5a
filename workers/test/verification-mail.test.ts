import { account, registerAccount, resendVerification, verifyEmail, type Mail } from '@alpenglow/domain';
import { createCommandHandler, createMemoryEventStore } from '@alpenglow/infra';
import { beforeEach, expect, test } from 'vitest';
import { verificationMailJob } from '../src/verification-mail.ts';

const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const codeOf = (issuanceId: string) => `code of ${issuanceId}`;
const person = { accountId: 'anna', email: 'anna@example.com', passwordHash: 'x', userType: 'client', displayName: 'Anna', age: 30, isDemo: false } as const;

let commands: ReturnType<typeof createCommandHandler>;
let sent: Mail[];
beforeEach(async () => {
  commands = createCommandHandler(createMemoryEventStore());
  sent = [];
  await commands.handle(account, 'anna', (state, context) => registerAccount(person, state, context), origin, { now: '2026-01-01T00:00:00.000Z' });
});

const issuanceId = async () => (await commands.load(account, 'anna')).state?.verification?.issuanceId ?? '';
const mail = { send: (one: Mail) => Promise.resolve(void sent.push(one)) };
const work = (id: string, accountId = 'anna') =>
  verificationMailJob({ commands, mail, codeOf })({ accountId, issuanceId: id }, { attempt: 1, signal: new AbortController().signal });

test('the code goes to the address of the account, under the id of its issuance', async () => {
  const id = await issuanceId();
  await work(id);
  expect(sent).toEqual([{ id, to: 'anna@example.com', subject: 'Your Alpenglow code', text: expect.stringContaining(`your code is code of ${id}. Enter it within 15 minutes`) }]);
});

test('running again sends the same mail, which the sender takes once', async () => {
  const id = await issuanceId();
  await work(id);
  await work(id);
  expect(new Set(sent.map((one) => one.id)).size).toBe(1);
});

test('a code that was replaced is not mailed any more', async () => {
  const old = await issuanceId();
  await commands.handle(account, 'anna', resendVerification, origin, { now: '2026-01-01T00:05:00.000Z' });
  await work(old);
  expect(sent).toEqual([]);
  await work(await issuanceId());
  expect(sent).toHaveLength(1);
});

test('a code that was used is not mailed any more', async () => {
  const id = await issuanceId();
  await commands.handle(account, 'anna', (state, context) => verifyEmail({ code: codeOf(id) }, state, codeOf, context), origin, { now: '2026-01-01T00:01:00.000Z' });
  await work(id);
  expect(sent).toEqual([]);
});

test('nothing is mailed for an account that is not there', async () => {
  await work('some-issuance', 'nobody');
  expect(sent).toEqual([]);
});
