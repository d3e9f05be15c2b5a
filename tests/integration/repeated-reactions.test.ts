import {
  account,
  moderationCase,
  toCaseId,
  toStreamId,
  type CaseState,
  type Mail,
  type MailTransport,
  type ModerationEvent,
} from '@alpenglow/domain';
import {
  addReport,
  changePassword,
  claimCase,
  decideAppeal,
  decideCase,
  fileAppeal,
  registerAccount,
} from '@alpenglow/domain/deciders';
import {
  createCommandHandler,
  createJobQueue,
  createJobWorkers,
  createLogger,
  createPool,
  createPostgresEventStore,
  createRecordedJobQueue,
  createRecordingMailSender,
  createSessions,
  createStatementTokens,
  createUnfinishedJobs,
  openJobBackend,
  removeMatchingJobs,
  type CommandHandler,
  type JobBackend,
  type Pool,
} from '@alpenglow/infra';
import { REACTORS, runReactor } from '@alpenglow/projectors';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAccountMailHandler } from '../../workers/src/account-mail.ts';
import { withRecordedEnd } from '../../workers/src/resume-jobs.ts';
import { createSettleCaseHandler } from '../../workers/src/settle-case.ts';
import { createReportIntakeHandler } from '../../workers/src/take-report-in.ts';
import { createWorkDatabase, type TestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createJobContext } from '../support/job-context.ts';
import { IDLE_HANDLERS } from '../support/job-system.ts';

// Tests the mails of reactors that start again at the first event of the log. This happens after a restore in which the
// checkpoints were not restored (docs/backup.md), with the real event store, queue and records.

const DAY_ms = 24 * 60 * 60_000;
const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
const log = createLogger('silent');

let database: TestDatabase;
let pool: Pool;
let store: ReturnType<typeof createPostgresEventStore>;
let commands: CommandHandler;
let backend: JobBackend;
let sent: Mail[];
beforeEach(async () => {
  database = await createWorkDatabase();
  pool = createPool({ connectionString: database.connectionString, max: 8, applicationName: 'test' });
  store = createPostgresEventStore({ pool, connectionString: database.connectionString });
  commands = createCommandHandler(store);
  backend = await openJobBackend(database);
  sent = [];
});
afterEach(async () => {
  await backend.close();
  await store.close();
  await pool.end();
  await database.drop();
});

const transport: MailTransport = {
  sendTimeout_ms: 1_000,
  detectsDuplicates: false,
  async send(mail) {
    sent.push(mail);
    return { serverResponse: null };
  },
  close: () => Promise.resolve(),
};
const sender = () => createRecordingMailSender(pool, transport);

/** Registers a person whose profile a moderator decided to hide at the time `at`. The person appeals successfully. */
async function decideAbout(accountId: string, at: string): Promise<void> {
  const now = { now: at };
  const person = {
    accountId,
    email: `${accountId}@example.com`,
    passwordHash: null,
    userType: 'provider',
    displayName: 'Anna',
    age: 30,
    isDemo: true,
  } as const;
  await commands.execute(account, accountId, registerAccount, person, origin, now);
  await commands.execute(account, accountId, changePassword, { passwordHash: 'x' }, origin, now);
  const subject = { kind: 'account', id: accountId } as const;
  const caseId = toCaseId(subject);
  const evidence = { stream: toStreamId(account, accountId), revision: 0 };
  const report = { subject, ownerId: accountId, evidence, reportId: accountId, reason: 'spam', canHide: true } as const;
  const claim = (moderatorId: string) =>
    commands.execute(moderationCase, caseId, claimCase, { moderatorId }, origin, now);
  await commands.execute(moderationCase, caseId, addReport, report, origin, now);
  await claim('mona');
  const decision = { moderatorId: 'mona', outcome: 'hidden', rule: 'spam', facts: 'F.', wasHidden: false } as const;
  const { state }: { state: CaseState } = await commands.execute(
    moderationCase,
    caseId,
    decideCase,
    decision,
    origin,
    now,
  );
  const decisionId = state?.decision?.decisionId ?? '';
  const appeal = { registeredAt: null, accountId, decisionId, text: 'Not so.' };
  await commands.execute(moderationCase, caseId, fileAppeal, appeal, origin, now);
  await claim('max');
  const outcome = { moderatorId: 'max', outcome: 'overturned', facts: 'True.' } as const;
  await commands.execute(moderationCase, caseId, decideAppeal, outcome, origin, now);
}

/** Runs the reactors and their jobs until every event of the log is handled. */
async function react(): Promise<void> {
  const unfinishedJobs = createUnfinishedJobs(pool);
  const queue = createJobQueue(backend);
  const settle = createSettleCaseHandler({
    commands,
    store,
    mail: sender(),
    sessions: createSessions(pool),
    statementTokens: createStatementTokens('ab'.repeat(32)),
    site: 'https://alpenglow.example',
    alignEvidence: () => Promise.resolve(true),
    createCommandsWithoutPersonalData: () => commands,
    log,
  });
  const accountMail = createAccountMailHandler({
    commands,
    mail: sender(),
    createVerificationCode: () => '123456',
    site: 'https://alpenglow.example',
  });
  const workers = createJobWorkers(backend, {
    handlers: {
      ...IDLE_HANDLERS,
      'settle-case': withRecordedEnd('settle-case', settle, unfinishedJobs),
      'account-mail': withRecordedEnd('account-mail', accountMail, unfinishedJobs),
    },
    log,
  });
  const stopped = new AbortController();
  const deps = { store, pool, log, jobs: createRecordedJobQueue(queue, unfinishedJobs) };
  const reacting = REACTORS.map((reactor) => runReactor(reactor, deps, stopped.signal));
  await eventually(async () => {
    // Each reactor has reached the last event of its types, and all jobs of these events have finished.
    const { rows } = await pool.query(
      `select c.name
         from rm.checkpoints c, unnest($1::text[], $2::text[]) as r(name, type)
        where c.name = r.name and c.position <> ''
          and c.position::bigint >= (select max(position) from es.events e where e.type = r.type)
          and not exists (select from jobs.unfinished where kind in ('settle-case', 'account-mail'))`,
      [
        ['reactor-moderation', 'reactor-account-mails'],
        ['AppealDecided', 'PasswordChanged'],
      ],
    );
    expect(rows).toHaveLength(2);
  });
  stopped.abort();
  await Promise.all(reacting);
  await workers.close();
  await queue.close();
}

/** Deletes the data that the native restore does not contain: the checkpoints and the jobs. */
async function loseCheckpointsAndJobs(): Promise<void> {
  await pool.query('truncate rm.checkpoints');
  await removeMatchingJobs(backend, () => true);
}

test('mails about an event are sent once, even if the reactors start again much later', async () => {
  await decideAbout('anna', new Date().toISOString());
  await react();
  expect(sent.map(({ id }) => id.replace(/-[\da-f-]+$/u, '')).toSorted()).toEqual([
    'appeal',
    'decision',
    'password-changed',
  ]);

  await pool.query(`update mail.sent set at = now() - interval '400 days'`);
  await sender().sweep();
  await loseCheckpointsAndJobs();
  await react();
  expect(sent).toHaveLength(3);
});

test('no mail is sent about an event of the past, even if no record of a mail exists', async () => {
  await decideAbout('anna', new Date(Date.now() - 8 * DAY_ms).toISOString());
  await decideAbout('ben', new Date(Date.now() - 6 * DAY_ms).toISOString());
  await react();
  expect(new Set(sent.map(({ to }) => to))).toEqual(new Set(['ben@example.com']));
});

test('a mail that was late because no worker ran is sent, however old its event is', async () => {
  await decideAbout('anna', new Date(Date.now() - 8 * DAY_ms).toISOString());
  const { rows } = await pool.query<{ id: string; data: { caseId: string; decisionId: string } }>(
    `select id, data from es.events where type = 'CaseDecided'`,
  );
  for (const { id, data } of rows) {
    const payload = { ...data, about: 'decision', decidedAt: new Date(Date.now() - 8 * DAY_ms).toISOString() };
    await pool.query(
      `insert into jobs.unfinished (kind, job_id, payload, enqueued_at, check_at)
       values ('settle-case', $1, $2, now() - interval '8 days', now())`,
      [id, JSON.stringify(payload)],
    );
  }
  await react();
  expect(sent).toMatchObject([{ id: expect.stringMatching(/^decision-/u), to: 'anna@example.com' }]);
});

test('a report counts once, even if its case has received many later reports', async () => {
  await decideAbout('anna', new Date().toISOString());
  const subject = { kind: 'account', id: 'anna' } as const;
  const caseId = toCaseId(subject);
  const { revision } = await commands.load(account, 'anna');
  const evidence = { stream: toStreamId(account, 'anna'), revision };
  const laterReports: ModerationEvent[] = Array.from({ length: 500 }, (_, index) => ({
    type: 'CaseReportAdded',
    data: { caseId, reportId: `later-${index}`, reason: 'spam', priority: 'normal', evidence },
  }));
  await commands.handle(moderationCase, caseId, () => laterReports, origin);
  const revisionOfCase = async () => (await commands.load(moderationCase, caseId)).revision;
  const before = await revisionOfCase();
  const handle = createReportIntakeHandler({ commands, store, ads: { ownerOf: () => Promise.resolve(null) } });
  const reported = { subject, reason: 'spam' } as const;

  // The first report of the case, which its state does not contain any more, has the id of the account.
  await handle({ ...reported, reportId: 'anna' }, createJobContext());
  expect(await revisionOfCase()).toBe(before);
  await handle({ ...reported, reportId: 'new' }, createJobContext());
  expect(await revisionOfCase()).toBeGreaterThan(before);
});
