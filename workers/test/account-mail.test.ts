import {
  account,
  MailRejected,
  MailUnavailable,
  MailInProgress,
  type AccountEvent,
  type AccountMailTopic,
  type Mail,
} from '@alpenglow/domain';
import { createCommandHandler } from '@alpenglow/infra';
import { beforeEach, expect, test } from 'vitest';
import { createJobContext } from '../../tests/support/job-context.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';
import { createAccountMailHandler } from '../src/account-mail.ts';

const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const createVerificationCode = (issuanceId: string) => `code of ${issuanceId}`;
const person = {
  email: 'anna@example.com',
  passwordHash: 'x',
  userType: 'client',
  displayName: 'Visit evil.example',
  age: 30,
} as const;
const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const expiresAt = '2026-01-01T00:15:00.000Z';

let commands: ReturnType<typeof createCommandHandler>;
let sent: Mail[];
let now_ms: number;
let mail: { send(letter: Mail): Promise<void> };
const record = (accountId: string, ...events: readonly AccountEvent[]) =>
  commands.handle(account, accountId, () => events, origin);
const issued = (issuanceId: string): AccountEvent => ({
  type: 'EmailVerificationIssued',
  data: { accountId: 'anna', issuanceId, expiresAt },
});
const resetIssued = (issuanceId: string): AccountEvent => ({
  type: 'PasswordResetIssued',
  data: { accountId: 'anna', issuanceId, expiresAt },
});
const runJob = (about: AccountMailTopic, issuanceId: string, accountId = 'anna') =>
  createAccountMailHandler({ commands, mail, createVerificationCode, site: 'https://alpenglow.example' }, () => now_ms)(
    { about, accountId, issuanceId, expiresAt },
    createJobContext(),
  );

beforeEach(async () => {
  commands = createCommandHandler(createMemoryEventStore());
  sent = [];
  mail = { send: (letter) => Promise.resolve(void sent.push(letter)) };
  now_ms = NOW;
  await record(
    'anna',
    { type: 'AccountRegistered', data: { accountId: 'anna', ...person, isDemo: false } },
    issued('v1'),
  );
});

test('mails the code of a sign-up to the address of the account', async () => {
  await runJob('verification', 'v1');
  expect(sent).toEqual([
    {
      id: 'verification-v1',
      to: 'anna@example.com',
      unsubscribeUrl: null,
      subject: 'Your Alpenglow code',
      text: expect.stringContaining(
        'Your code is code of v1. Enter it within 15 minutes to verify your e-mail address.',
      ) as string,
    },
  ]);
});

test('mails the code of a password reset to the address of the account', async () => {
  await record('anna', resetIssued('r1'));
  await runJob('password-reset', 'r1');
  expect(sent).toEqual([
    {
      id: 'password-reset-r1',
      to: 'anna@example.com',
      unsubscribeUrl: null,
      subject: 'Reset your Alpenglow password',
      text: expect.stringContaining(
        'Your code is code of r1. Enter it within 15 minutes, together with a new password, ',
      ) as string,
    },
  ]);
});

test('mails the owner about a repeated sign-up, without a code', async () => {
  await runJob('sign-up-repeated', 's1');
  expect(sent).toEqual([
    {
      id: 'sign-up-repeated-s1',
      to: 'anna@example.com',
      unsubscribeUrl: null,
      subject: 'You already have an account at Alpenglow',
      text: expect.stringContaining('log in with your existing password') as string,
    },
  ]);
  expect(sent[0]?.text).not.toMatch(/code/u);
});

test('mails that an identity check was decided, without the decision and its reason', async () => {
  await runJob('identity-decided', 'check1');
  expect(sent).toEqual([
    {
      id: 'identity-decided-check1',
      to: 'anna@example.com',
      unsubscribeUrl: null,
      subject: 'Your request at Alpenglow',
      text: expect.stringContaining('https://alpenglow.example/provider-profile') as string,
    },
  ]);
  expect(JSON.stringify(sent)).not.toMatch(/accept|refus|reject|passport/iu);
});

test.each([
  ['password-changed', 'Your Alpenglow password was changed', 'The password of your account was changed.'],
  ['two-step-on', 'Two-step login is on at Alpenglow', 'Each login now needs a code'],
  ['two-step-off', 'Two-step login is off at Alpenglow', 'A login now needs only your password.'],
  ['role-changed', 'Your role at Alpenglow was changed', 'An admin changed the role'],
] as const)('warns the owner with the mail %s and a link to set a new password', async (about, subject, change) => {
  await runJob(about, 'event1');
  expect(sent).toMatchObject([{ id: `${about}-event1`, to: 'anna@example.com', unsubscribeUrl: null, subject }]);
  expect(sent[0]?.text).toContain(change);
  expect(sent[0]?.text).toContain('https://alpenglow.example/forgot-password');
});

test('no mail contains text of the person who signed up', async () => {
  await record('anna', resetIssued('r1'));
  for (const [about, id] of [
    ['verification', 'v1'],
    ['password-reset', 'r1'],
    ['sign-up-repeated', 's1'],
    ['identity-decided', 'c1'],
  ] as const)
    await runJob(about, id);
  expect(sent).toHaveLength(4);
  expect(JSON.stringify(sent)).not.toContain('evil');
});

test('a repeated job sends a mail with the same id', async () => {
  await runJob('verification', 'v1');
  await runJob('verification', 'v1');
  expect(sent[1]).toEqual(sent[0]);
});

const invalidCodes: readonly (readonly [string, AccountMailTopic, string, () => Promise<unknown>])[] = [
  ['was replaced', 'verification', 'v1', () => record('anna', issued('v2'))],
  ['was used', 'verification', 'v1', () => record('anna', { type: 'EmailVerified', data: { accountId: 'anna' } })],
  [
    'was withdrawn by an admin',
    'verification',
    'v1',
    () =>
      record('anna', { type: 'EmailVerificationCleared', data: { accountId: 'anna', issuanceId: 'v1', reason: null } }),
  ],
  ['has expired', 'verification', 'v1', async () => void (now_ms = Date.parse(expiresAt))],
  [
    'was issued for a reset and replaced',
    'password-reset',
    'r1',
    () => record('anna', resetIssued('r1'), resetIssued('r2')),
  ],
  [
    'was issued for a reset and used',
    'password-reset',
    'r1',
    () =>
      record('anna', resetIssued('r1'), { type: 'PasswordChanged', data: { accountId: 'anna', passwordHash: 'y' } }),
  ],
  [
    'was issued for a reset and has expired',
    'password-reset',
    'r1',
    async () => void (await record('anna', resetIssued('r1')), (now_ms = Date.parse(expiresAt))),
  ],
];
test.each(invalidCodes)('does not mail a code that %s', async (_, about, issuanceId, invalidate) => {
  await invalidate();
  await runJob(about, issuanceId);
  expect(sent).toEqual([]);
});

test.each(['verification', 'password-reset', 'sign-up-repeated', 'identity-decided', 'password-changed'] as const)(
  'sends no %s mail to a missing or closed account',
  async (about) => {
    await runJob(about, 'v1', 'missing');
    await record('anna', { type: 'AccountClosed', data: { accountId: 'anna', reason: null } });
    await runJob(about, 'v1');
    expect(sent).toEqual([]);
  },
);

test('sends no mail to a stand-in account', async () => {
  await record('shadow', {
    type: 'SignUpRepeated',
    data: { accountId: 'shadow', ofAccountId: 'anna', issuanceId: 's1', expiresAt, ...person },
  });
  await runJob('verification', 's1', 'shadow');
  expect(sent).toEqual([]);
});

test.each([
  [
    'fails for good if the mail is rejected for good',
    new MailRejected('550 no such user'),
    { name: 'UnrecoverableJobError', message: '550 no such user' },
  ],
  [
    'is postponed while another process sends the mail',
    new MailInProgress(5_000),
    { name: 'PostponedJobError', after_ms: 5_000 },
  ],
  [
    'is postponed for the time that the service states',
    new MailUnavailable('429', 60_000),
    { name: 'PostponedJobError', after_ms: 60_000 },
  ],
  [
    'is retried with backoff if the service states no time',
    new MailUnavailable('503'),
    { name: 'MailUnavailable', message: '503' },
  ],
])('the job %s', async (_, error, expected) => {
  mail = { send: () => Promise.reject(error) };
  await expect(runJob('verification', 'v1')).rejects.toMatchObject(expected);
});
