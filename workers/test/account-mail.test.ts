import {
  account,
  MailRefused,
  MailUnavailable,
  MailUnderWay,
  type AccountEvent,
  type AccountMail,
  type Mail,
} from '@alpenglow/domain';
import { createCommandHandler, createMemoryEventStore } from '@alpenglow/infra';
import { beforeEach, expect, test } from 'vitest';
import { accountMailJob } from '../src/account-mail.ts';

const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const codeOf = (issuanceId: string) => `code of ${issuanceId}`;
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
let mail: { send(one: Mail): Promise<void> };
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
const work = (about: AccountMail, issuanceId: string, accountId = 'anna') =>
  accountMailJob({ commands, mail, codeOf, site: 'https://alpenglow.example' }, () => now_ms)(
    { about, accountId, issuanceId, expiresAt },
    { attempt: 1, signal: new AbortController().signal },
  );

beforeEach(async () => {
  commands = createCommandHandler(createMemoryEventStore());
  sent = [];
  mail = { send: (one) => Promise.resolve(void sent.push(one)) };
  now_ms = NOW;
  await record(
    'anna',
    { type: 'AccountRegistered', data: { accountId: 'anna', ...person, isDemo: false } },
    issued('v1'),
  );
});

test('the code of a sign-up goes to the address of the account', async () => {
  await work('verification', 'v1');
  expect(sent).toEqual([
    {
      id: 'verification-v1',
      to: 'anna@example.com',
      unsubscribeUrl: null,
      subject: 'Your Alpenglow code',
      text: expect.stringContaining(
        'your code is code of v1. Enter it within 15 minutes to verify your e-mail address.',
      ) as string,
    },
  ]);
});

test('so does the code that resets a password', async () => {
  await record('anna', resetIssued('r1'));
  await work('password-reset', 'r1');
  expect(sent).toEqual([
    {
      id: 'password-reset-r1',
      to: 'anna@example.com',
      unsubscribeUrl: null,
      subject: 'Reset your Alpenglow password',
      text: expect.stringContaining(
        'your code is code of r1. Enter it within 15 minutes, together with a new password.',
      ) as string,
    },
  ]);
});

test('whose address signs up again is told so, without a code', async () => {
  await work('sign-up-repeated', 's1');
  expect(sent).toEqual([
    {
      id: 'sign-up-repeated-s1',
      to: 'anna@example.com',
      unsubscribeUrl: null,
      subject: 'You already have an account at Alpenglow',
      text: expect.stringContaining('log in with the password you have') as string,
    },
  ]);
  expect(sent[0]?.text).not.toMatch(/code/u);
});

test('whose request to be verified is decided is told that it is, not what or why', async () => {
  await work('identity-decided', 'check1');
  expect(sent).toEqual([
    {
      id: 'identity-decided-check1',
      to: 'anna@example.com',
      unsubscribeUrl: null,
      subject: 'Your request at Alpenglow',
      text: expect.stringContaining('https://alpenglow.example/provider-profile') as string,
    },
  ]);
  expect(JSON.stringify(sent)).not.toMatch(/accept|refus|passport/iu);
});

test('no mail carries words of whoever signed up', async () => {
  await record('anna', resetIssued('r1'));
  for (const [about, id] of [
    ['verification', 'v1'],
    ['password-reset', 'r1'],
    ['sign-up-repeated', 's1'],
    ['identity-decided', 'c1'],
  ] as const)
    await work(about, id);
  expect(sent).toHaveLength(4);
  expect(JSON.stringify(sent)).not.toContain('evil');
});

test('running again sends the same mail, which the sender takes once', async () => {
  await work('verification', 'v1');
  await work('verification', 'v1');
  expect(sent[1]).toEqual(sent[0]);
});

const gone: readonly (readonly [string, AccountMail, string, () => Promise<unknown>])[] = [
  ['was replaced', 'verification', 'v1', () => record('anna', issued('v2'))],
  ['was used', 'verification', 'v1', () => record('anna', { type: 'EmailVerified', data: { accountId: 'anna' } })],
  [
    'an admin took back',
    'verification',
    'v1',
    () =>
      record('anna', { type: 'EmailVerificationCleared', data: { accountId: 'anna', issuanceId: 'v1', reason: null } }),
  ],
  ['expired', 'verification', 'v1', async () => void (now_ms = Date.parse(expiresAt))],
  ['for a reset was replaced', 'password-reset', 'r1', () => record('anna', resetIssued('r1'), resetIssued('r2'))],
  [
    'for a reset was used',
    'password-reset',
    'r1',
    () =>
      record('anna', resetIssued('r1'), { type: 'PasswordChanged', data: { accountId: 'anna', passwordHash: 'y' } }),
  ],
  [
    'for a reset expired',
    'password-reset',
    'r1',
    async () => void (await record('anna', resetIssued('r1')), (now_ms = Date.parse(expiresAt))),
  ],
];
test.each(gone)('a code that %s is not mailed any more', async (_, about, issuanceId, happens) => {
  await happens();
  await work(about, issuanceId);
  expect(sent).toEqual([]);
});

test.each(['verification', 'password-reset', 'sign-up-repeated', 'identity-decided'] as const)(
  'nothing is mailed about %s for an account that is not there, or closed',
  async (about) => {
    await work(about, 'v1', 'nobody');
    await record('anna', { type: 'AccountClosed', data: { accountId: 'anna', reason: null } });
    await work(about, 'v1');
    expect(sent).toEqual([]);
  },
);

test('nothing is mailed about an account that stands in for another one of the same address', async () => {
  await record('shadow', {
    type: 'SignUpRepeated',
    data: { accountId: 'shadow', ofAccountId: 'anna', issuanceId: 's1', expiresAt, ...person },
  });
  await work('verification', 's1', 'shadow');
  expect(sent).toEqual([]);
});

test.each([
  [
    'is over when the mail is refused for good',
    new MailRefused('550 no such user'),
    { name: 'UnrecoverableJobError', message: '550 no such user' },
  ],
  [
    'waits while another process sends the mail',
    new MailUnderWay(5_000),
    { name: 'PostponedJobError', after_ms: 5_000 },
  ],
  [
    'waits as long as the service says',
    new MailUnavailable('429', 60_000),
    { name: 'PostponedJobError', after_ms: 60_000 },
  ],
  [
    'is tried again with backoff when nobody says how long',
    new MailUnavailable('503'),
    { name: 'MailUnavailable', message: '503' },
  ],
])('the job %s', async (_, error, expected) => {
  mail = { send: () => Promise.reject(error) };
  await expect(work('verification', 'v1')).rejects.toMatchObject(expected);
});
