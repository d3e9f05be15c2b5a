import { account, type AccountEvent, type MailTransport } from '@alpenglow/domain';
import {
  createCommandHandler,
  createPool,
  createPostgresEventStore,
  createRecordingMailSender,
  migrateJobs,
  openMailTransport,
  type Pool,
} from '@alpenglow/infra';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAccountMailHandler } from '../../workers/src/account-mail.ts';
import type { JobSystem } from '../contract/job-queue.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { openJobSystem } from '../support/job-system.ts';
import { ERROR_RESPONSES, startMailService, type MailService } from '../support/mail-service.ts';

/**
 * Tests all steps of sending a mail, from the event that causes the mail to the e-mail service. The jobs use the real
 * queue on Postgres.
 */

const MINUTE_ms = 60_000;
const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const createVerificationCode = () => '123456';

let database: TestDatabase;
let pool: Pool;
let store: ReturnType<typeof createPostgresEventStore>;
let service: MailService;
let transport: MailTransport;
let system: JobSystem;
beforeEach(async () => {
  database = await createMigratedDatabase();
  await migrateJobs(database.connectionString);
  pool = createPool({ connectionString: database.connectionString, max: 6, applicationName: 'test' });
  store = createPostgresEventStore({ pool, connectionString: database.connectionString });
  service = await startMailService();
  const opened = await openMailTransport({
    kind: 'service',
    url: service.url,
    serviceId: 's',
    templateId: 't',
    publicKey: 'p',
    privateKey: null,
  });
  if (!opened) throw new Error('No transport was opened');
  transport = opened;
  system = await openJobSystem({ connectionString: database.connectionString });
});
afterEach(async () => {
  await system.close();
  await transport.close();
  await service.close();
  await store.close();
  await pool.end();
  await database.drop();
});

const startWorker = () =>
  system.startWorkers({
    'account-mail': createAccountMailHandler({
      commands: createCommandHandler(store),
      mail: createRecordingMailSender(pool, transport),
      createVerificationCode,
      site: 'https://alpenglow.example',
    }),
  });
const enqueue = (issuanceId: string, jobId = issuanceId) =>
  system.queue.enqueue(
    'account-mail',
    { about: 'verification', accountId: 'anna', issuanceId, expiresAt: inMinutes(15) },
    { jobId },
  );
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * MINUTE_ms).toISOString();
const mailJobCounts = async () => (await system.queue.counts())['account-mail'];
const waitForIdle = (failed: number) =>
  expect.poll(mailJobCounts).toEqual({ waiting: 0, active: 0, delayed: 0, failed });
const readSentMails = async () =>
  (await pool.query('select id, state, attempts from mail.sent order by id')).rows as unknown[];

async function issueCode(issuanceId: string): Promise<void> {
  const person = {
    accountId: 'anna',
    email: 'anna@example.com',
    passwordHash: 'x',
    userType: 'client',
    displayName: 'Anna',
    age: 30,
    isDemo: false,
  } as const;
  const issued: AccountEvent = {
    type: 'EmailVerificationIssued',
    data: { accountId: 'anna', issuanceId, expiresAt: inMinutes(15) },
  };
  await createCommandHandler(store).handle(
    account,
    'anna',
    (state) => (state ? [issued] : [{ type: 'AccountRegistered', data: person }, issued]),
    origin,
  );
}

test('a mail that the service does not accept is retried with backoff, and is sent once', async () => {
  await issueCode('v1');
  service.respondWith({ status: 500, text: 'Internal Server Error' }, 'hang-up', {
    status: 503,
    text: 'Service Unavailable',
  });
  startWorker();
  await enqueue('v1');
  await waitForIdle(0);
  expect(service.requests).toHaveLength(4);
  const waits = service.requests.slice(1).map(({ at_ms }, index) => at_ms - (service.requests[index]?.at_ms ?? 0));
  for (const [index, wait_ms] of waits.entries()) expect(wait_ms).toBeGreaterThanOrEqual(10 * 2 ** index);
  expect(await readSentMails()).toEqual([{ id: 'verification-v1', state: 'sent', attempts: 4 }]);
});

test('after a 429, the service gets no request for the time of Retry-After, and no attempt is counted', async () => {
  await issueCode('v1');
  const tooMany = { ...ERROR_RESPONSES.tooMany, headers: { 'retry-after': '1' } };
  service.respondWith(tooMany, tooMany);
  startWorker();
  await enqueue('v1');
  await waitForIdle(0);
  const [first, second, third] = service.requests.map(({ at_ms }) => at_ms);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(1_000);
  expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(1_000);
  expect(service.requests).toHaveLength(3);
  expect(await readSentMails()).toMatchObject([{ state: 'sent' }]);
});

test.each([ERROR_RESPONSES.headless, ERROR_RESPONSES.forbidden])(
  'a permanent rejection is tried once, and its job stays failed: %j',
  async (rejection) => {
    await issueCode('v1');
    service.respondWith(rejection);
    startWorker();
    await enqueue('v1');
    await waitForIdle(1);
    expect(service.requests).toHaveLength(1);
    expect(await readSentMails()).toMatchObject([{ state: 'refused' }]);
  },
);

test('two jobs of the same mail in two workers send it once', async () => {
  await issueCode('v1');
  startWorker();
  startWorker();
  await Promise.all(Array.from({ length: 6 }, (_, index) => enqueue('v1', `job-${index}`)));
  await expect.poll(readSentMails).toMatchObject([{ state: 'sent' }]);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(service.requests).toHaveLength(1);
});
