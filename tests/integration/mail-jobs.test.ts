import { account, mailId, type AccountEvent, type MailTransport } from '@alpenglow/domain';
import {
  createCommandHandler,
  createDueMails,
  createLogger,
  createPool,
  createPostgresEventStore,
  createRecordingMailSender,
  migrateJobs,
  openMailTransport,
  type Pool,
} from '@alpenglow/infra';
import { PROJECTIONS, runProjection } from '@alpenglow/projectors';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountMailJob } from '../../workers/src/account-mail.ts';
import { resumeMails } from '../../workers/src/resume-mails.ts';
import type { JobSystem } from '../contract/job-queue.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { openJobSystem } from '../support/job-system.ts';
import { REFUSALS, startMailService, type MailService } from '../support/mail-service.ts';

/** From the event to the e-mail service, over the real queue on Postgres. */

const MINUTE_ms = 60_000;
const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const codeOf = () => '123456';

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
  if (!opened) throw new Error('There is a transport');
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

const work = () =>
  system.work({
    'account-mail': accountMailJob({
      commands: createCommandHandler(store),
      mail: createRecordingMailSender(pool, transport),
      codeOf,
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
const mailsJobs = async () => (await system.queue.counts())['account-mail'];
const idle = (failed: number) => expect.poll(mailsJobs).toEqual({ waiting: 0, active: 0, delayed: 0, failed });
const sent = async () => (await pool.query('select id, state, attempts from mail.sent order by id')).rows as unknown[];

async function issue(issuanceId: string): Promise<void> {
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

test('a mail the service does not take is tried again with backoff, until it does; then it was sent once', async () => {
  await issue('v1');
  service.answerWith({ status: 500, text: 'Internal Server Error' }, 'hang-up', {
    status: 503,
    text: 'Service Unavailable',
  });
  work();
  await enqueue('v1');
  await idle(0);
  expect(service.requests).toHaveLength(4);
  const waits = service.requests.slice(1).map(({ at_ms }, index) => at_ms - (service.requests[index]?.at_ms ?? 0));
  for (const [index, wait_ms] of waits.entries()) expect(wait_ms).toBeGreaterThanOrEqual(10 * 2 ** index);
  expect(await sent()).toEqual([{ id: 'verification-v1', state: 'sent', attempts: 4 }]);
});

test('asked too often, the service is left alone for as long as it says, and none of the attempts counts', async () => {
  await issue('v1');
  const tooMany = { ...REFUSALS.tooMany, headers: { 'retry-after': '1' } };
  service.answerWith(tooMany, tooMany);
  work();
  await enqueue('v1');
  await idle(0);
  const [first, second, third] = service.requests.map(({ at_ms }) => at_ms);
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(1_000);
  expect((third ?? 0) - (second ?? 0)).toBeGreaterThanOrEqual(1_000);
  expect(service.requests).toHaveLength(3);
  expect(await sent()).toMatchObject([{ state: 'sent' }]);
});

test.each([REFUSALS.headless, REFUSALS.forbidden])(
  'a refusal for good is tried once, and stays to be seen: %j',
  async (refusal) => {
    await issue('v1');
    service.answerWith(refusal);
    work();
    await enqueue('v1');
    await idle(1);
    expect(service.requests).toHaveLength(1);
    expect(await sent()).toMatchObject([{ state: 'refused' }]);
  },
);

test('two jobs of the same mail, in two workers, send it once', async () => {
  await issue('v1');
  work();
  work();
  await Promise.all(Array.from({ length: 6 }, (_, index) => enqueue('v1', `job-${index}`)));
  await expect.poll(sent).toMatchObject([{ state: 'sent' }]);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(service.requests).toHaveLength(1);
});

test('a code whose job was lost is mailed after all; one that was mailed, or is fresh, is left alone', async () => {
  const dueMails = createDueMails(pool);
  const resume = (later_ms: number) =>
    resumeMails({ dueMails, jobs: system.queue }, Date.now() + later_ms, new AbortController().signal);
  const stop = new AbortController();
  const codes = PROJECTIONS.find(({ name }) => name === 'verification_codes');
  if (!codes) throw new Error('There is a projection of codes');
  const projecting = runProjection(codes, { store, pool, log: createLogger('silent') }, stop.signal);
  await issue('v1');
  await expect.poll(() => dueMails.due(new Date(Date.now() + MINUTE_ms), 10).catch(() => [])).toHaveLength(1);

  expect(await resume(0)).toBe(0);
  expect(await resume(3 * MINUTE_ms)).toBe(1);
  expect(await resume(3 * MINUTE_ms)).toBe(1);
  expect(await mailsJobs()).toMatchObject({ waiting: 1 });
  work();
  await idle(0);
  expect(service.requests).toHaveLength(1);
  expect(await sent()).toMatchObject([{ id: mailId('verification', 'v1'), state: 'sent' }]);
  expect(await resume(3 * MINUTE_ms)).toBe(0);
  stop.abort();
  await projecting;
});
