import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  EventStoreUnavailable,
  follows,
  MailRejected,
  MailUnavailable,
  PostponedJobError,
  type BulkJobQueue,
  type JobKind,
  type Mail,
  type NewJob,
} from '@alpenglow/domain';
import { followThread } from '@alpenglow/domain/deciders';
import {
  createJobQueue,
  createJobWorkers,
  createRecordedJobQueue,
  createUnfinishedJobs,
  openJobBackend,
} from '@alpenglow/infra';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createMailOneFollowerHandler } from '../../workers/src/mail-one-follower.ts';
import { createMailPageOfFollowersHandler } from '../../workers/src/mail-page-of-followers.ts';
import { withRecordedEnd } from '../../workers/src/resume-jobs.ts';
import { createThreadRepliesHandler } from '../../workers/src/thread-replies.ts';
import { createJobsDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createJobContext } from '../support/job-context.ts';
import { IDLE_HANDLERS } from '../support/job-system.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { openThreadMails, type ThreadMails } from '../support/thread-mails.ts';

/** More than two pages. */
const FOLLOWERS = 230;
const AUTHOR = 'ben';
const MINUTE_ms = 60_000;
/** The time after which a job starts no further group of followers. */
const TURN_ms = 5_000;
const CODE_MAIL = { id: 'code', to: 'carla@example.com', subject: 'Code', text: '1', unsubscribeUrl: null };

interface Enqueued {
  readonly kind: JobKind;
  readonly payload: unknown;
  readonly jobId: string;
  readonly delay_ms: number;
}

let system: ThreadMails;
let threadId: string;
let followers: readonly string[];
let sent: Mail[];
/** Called for each mail. The mail counts as sent if the promise resolves. */
let deliver: (mail: Mail) => Promise<void>;
let enqueued: Enqueued[];

beforeAll(async () => {
  system = await openThreadMails(() => ({
    sendTimeout_ms: 30_000,
    detectsDuplicates: false,
    async send(mail) {
      await deliver(mail);
      sent.push(mail);
      return { serverResponse: null };
    },
    close: () => Promise.resolve(),
  }));
  followers = Array.from({ length: FOLLOWERS }, () => randomUUID()).toSorted();
  await system.signUp([...followers, AUTHOR]);
});
afterAll(() => system.close());
beforeEach(async () => {
  [sent, enqueued, deliver] = [[], [], () => Promise.resolve()];
  ({ id: threadId } = await system.threads.start({ accountId: AUTHOR, title: 'Tea' }));
  await system.follow([...followers, AUTHOR], threadId);
});

const reply = (number: number) => system.threads.reply(threadId, number, [{ accountId: AUTHOR, body: 'Grass' }]);
const unsubscribe = async (accountId: string): Promise<void> => {
  await system.commands.execute(follows, accountId, followThread, { accountId, threadId, mail: 'off' }, TEST_ORIGIN);
};
const recipients = () => sent.map(({ to }) => to.split('@')[0]).toSorted();
const ofKind = (kind: JobKind) => enqueued.filter((job) => job.kind === kind);

/** A queue that stores jobs for `runDueJobs`. */
const jobs: BulkJobQueue = {
  enqueue(kind, payload, { jobId, delay_ms = 0 }) {
    if (!enqueued.some((job) => job.jobId === jobId)) enqueued.push({ kind, payload, jobId, delay_ms });
    return Promise.resolve();
  },
  async enqueueAll<K extends JobKind>(kind: K, batch: readonly NewJob<K>[]) {
    for (const { payload, ...options } of batch) await jobs.enqueue(kind, payload, options);
    return [];
  },
  close: () => Promise.resolve(),
};

async function runJob({ kind, payload, jobId }: Enqueued): Promise<void> {
  const deps = { ...system.deps, jobs };
  const context = createJobContext({ jobId });
  if (kind === 'reply-mails') await createMailPageOfFollowersHandler(deps)(payload as never, context);
  if (kind === 'reply-mail') await createMailOneFollowerHandler(deps)(payload as never, context);
}
/** Runs all jobs without a delay, and the jobs that they enqueue. A job that has run keeps its id. */
async function runDueJobs(): Promise<void> {
  for (let job = enqueued.find(({ delay_ms }) => delay_ms === 0); job; ) {
    await runJob(job);
    const done = job;
    enqueued = enqueued.map((other) => (other === done ? { ...other, delay_ms: Infinity } : other));
    job = enqueued.find(({ delay_ms }) => delay_ms === 0);
  }
}
/** Makes all delayed jobs due and moves the records of mails into the past. */
async function advanceTime(ms: number): Promise<void> {
  await system.pool.query(`update mail.told_replies set at = at - $1 * interval '1 ms'`, [ms]);
  enqueued = enqueued.map((job) => (job.delay_ms <= ms ? { ...job, delay_ms: 0 } : job));
}
const announce = (number: number) =>
  createThreadRepliesHandler({ ...system.deps, jobs })({ threadId, number }, createJobContext());

describe('the mails about a reply in a large thread', () => {
  test('are sent page by page, without a job for each follower and without account ids in the jobs', async () => {
    await reply(1);
    await announce(1);
    await runDueJobs();
    expect(recipients()).toEqual(followers);
    expect(ofKind('reply-mail')).toEqual([]);
    expect(ofKind('reply-mails').length).toBeGreaterThanOrEqual(3);
    const stored = JSON.stringify(enqueued);
    expect(followers.filter((accountId) => stored.includes(accountId))).toEqual([]);
  });

  test('are sent although Postgres needs longer for the first statement than a job may take', async () => {
    await reply(1);
    await announce(1);
    const client = await system.pool.connect();
    await client.query('begin; lock table mail.told_replies in access exclusive mode');
    const unlocked = pause(TURN_ms + 500).then(async () => {
      await client.query('rollback');
      client.release();
    });
    await runDueJobs();
    await unlocked;
    expect(recipients()).toEqual(followers);
  });

  test('are sent once if the process ends in the middle of a page', async () => {
    await reply(1);
    await announce(1);
    deliver = () => (sent.length < 70 ? Promise.resolve() : Promise.reject(new EventStoreUnavailable('killed')));
    await expect(runDueJobs()).rejects.toThrow('killed');
    deliver = () => Promise.resolve();
    await system.pool.query(`update mail.sent set locked_until = now()`);
    await runDueJobs();
    expect(recipients()).toEqual(followers);
    // The queue repeats jobs that have already finished.
    for (const job of enqueued) await runJob(job);
    expect(recipients()).toEqual(followers);
  });

  test('are not sent to members who unsubscribe before their page', async () => {
    await reply(1);
    await announce(1);
    const last = followers.at(-1) ?? '';
    deliver = async () => {
      if (sent.length > 0) return;
      await unsubscribe(last);
    };
    await runDueJobs();
    expect(recipients()).toEqual(followers.slice(0, -1));
  });

  test('are not sent to members who unsubscribe while the mails before theirs are sent', async () => {
    await reply(1);
    await announce(1);
    // The first group is sent by four senders, so the mail to the last member of the group is waiting.
    const waiting = followers[19] ?? '';
    let isFirst = true;
    deliver = async () => {
      if (!isFirst) return unsubscribed;
      isFirst = false;
      unsubscribed = unsubscribe(waiting);
      return unsubscribed;
    };
    let unsubscribed: Promise<void> = Promise.resolve();
    await runDueJobs();
    expect(recipients()).toEqual(followers.filter((accountId) => accountId !== waiting));
  });

  test('are sent although something fails for one member, whose mail gets a separate job', async () => {
    await reply(1);
    await announce(1);
    const failing = followers[5] ?? '';
    deliver = ({ to }) => (to.startsWith(failing) ? Promise.reject(new Error('unexpected')) : Promise.resolve());
    // The mail is locked for its sender for some time, so the separate job is postponed.
    await expect(runDueJobs()).rejects.toThrow(PostponedJobError);
    expect(ofKind('reply-mail').map(({ payload }) => payload)).toEqual([{ accountId: failing, threadId, number: 1 }]);
    deliver = () => Promise.resolve();
    await system.pool.query(`update mail.sent set locked_until = now()`);
    await runDueJobs();
    expect(recipients()).toEqual(followers);
  });

  test('report all replies within ten minutes later, with one delayed job for each page', async () => {
    await reply(1);
    await announce(1);
    await runDueJobs();
    sent = [];
    for (const number of [2, 3]) {
      await reply(number);
      await announce(number);
      await runDueJobs();
    }
    expect(sent).toEqual([]);
    expect(ofKind('reply-mail')).toEqual([]);
    const delayed = enqueued.filter(({ delay_ms }) => delay_ms > 0 && delay_ms < Infinity);
    expect(delayed.every(({ delay_ms }) => delay_ms > 9 * MINUTE_ms)).toBe(true);
    expect(delayed.length).toBeLessThan(20);
    await advanceTime(10 * MINUTE_ms);
    await runDueJobs();
    expect(recipients()).toEqual(followers);
    expect(new Set(sent.map(({ subject }) => subject))).toEqual(new Set(['2 new replies in “Tea”']));
  });

  test('wait while the mail server is unavailable, and are then sent', async () => {
    await reply(1);
    await announce(1);
    deliver = () => Promise.reject(new MailUnavailable('refused'));
    await runDueJobs().catch((error: unknown) => expect(error).toBeInstanceOf(MailUnavailable));
    const waiting = ofKind('reply-mails').find(({ delay_ms }) => delay_ms > 0 && delay_ms < Infinity);
    expect(waiting).toMatchObject({ delay_ms: MINUTE_ms });
    expect(ofKind('reply-mail').length).toBeLessThan(10);
    deliver = () => Promise.resolve();
    await advanceTime(MINUTE_ms);
    await runDueJobs();
    expect(recipients()).toEqual(followers);
  });

  test('pause as long as the mail service requests', async () => {
    await reply(1);
    await announce(1);
    const requested_ms = 5 * MINUTE_ms;
    deliver = () => Promise.reject(new MailUnavailable('too many requests', requested_ms));
    const [first] = enqueued;
    if (first) await runJob(first);
    expect(ofKind('reply-mails').at(-1)).toMatchObject({ delay_ms: requested_ms });
    expect(ofKind('reply-mail').length).toBeLessThan(10);
  });

  test('are sent although the server rejects some of them', async () => {
    await reply(1);
    await announce(1);
    const rejected = new Set(followers.filter((_, index) => index % 10 < 4));
    deliver = ({ to }) =>
      rejected.has(to.split('@')[0] ?? '') ? Promise.reject(new MailRejected('unknown user')) : Promise.resolve();
    await runDueJobs();
    expect(recipients()).toEqual(followers.filter((accountId) => !rejected.has(accountId)));
    expect(ofKind('reply-mail')).toEqual([]);
  });

  test('delay no other mail while the mail server is slow, and are completed by the workers', async () => {
    const jobsDatabase = await createJobsDatabase();
    const backend = await openJobBackend(jobsDatabase);
    const queue = createJobQueue(backend);
    const unfinishedJobs = createUnfinishedJobs(system.pool);
    const recorded = createRecordedJobQueue(queue, unfinishedJobs);
    const deps = { ...system.deps, jobs: recorded };
    const { mail, log } = deps;
    const workers = createJobWorkers(backend, {
      handlers: {
        ...IDLE_HANDLERS,
        'thread-replies': withRecordedEnd('thread-replies', createThreadRepliesHandler(deps), unfinishedJobs),
        'reply-mail': withRecordedEnd('reply-mail', createMailOneFollowerHandler(deps), unfinishedJobs),
        'reply-mails': withRecordedEnd('reply-mails', createMailPageOfFollowersHandler(deps), unfinishedJobs),
        'account-mail': withRecordedEnd('account-mail', () => mail.send(CODE_MAIL), unfinishedJobs),
      },
      log,
    });
    onTestFinished(async () => {
      await workers.close();
      await queue.close();
      await backend.close();
      await jobsDatabase.drop();
    });
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    let waiting = 0;
    deliver = async ({ subject }) => {
      if (!subject.includes('Tea')) return;
      waiting += 1;
      await opened;
    };
    onTestFinished(() => open());
    await reply(1);
    await recorded.enqueue('thread-replies', { threadId, number: 1 }, { jobId: 'large' });
    await eventually(() => expect(waiting).toBeGreaterThan(0));

    const { id: small } = await system.threads.start({ accountId: AUTHOR, title: 'Coffee' });
    await system.follow(followers.slice(0, 1), small);
    await system.threads.reply(small, 1, [{ accountId: AUTHOR, body: 'Beans' }]);
    await recorded.enqueue('thread-replies', { threadId: small, number: 1 }, { jobId: 'small' });
    const expiresAt = new Date(Date.now() + MINUTE_ms).toISOString();
    const code = { about: 'login-code', accountId: 'carla', issuanceId: 'code', expiresAt } as const;
    await recorded.enqueue('account-mail', code, { jobId: 'code' });
    await eventually(() =>
      expect(sent.map(({ subject }) => subject).toSorted()).toEqual(['Code', 'New reply in “Coffee”']),
    );

    sent = [];
    open();
    await eventually(() => expect(recipients()).toEqual(followers));
    await eventually(async () => expect((await system.pool.query('select from jobs.unfinished')).rowCount).toBe(0));
  });
});

describe('the later mail to one follower', () => {
  test('is not lost if its job starts before it is due', async () => {
    const deps = { ...system.deps, jobs };
    const [accountId = ''] = followers;
    const handle = (number: number, jobId: string) =>
      createMailOneFollowerHandler(deps)({ accountId, threadId, number }, createJobContext({ jobId }));
    await reply(1);
    await handle(1, 'first');
    await reply(2);
    await handle(2, 'second');
    const [later] = enqueued;
    expect(later?.delay_ms).toBeGreaterThan(0);
    await expect(handle(2, later?.jobId ?? '')).rejects.toThrow(PostponedJobError);
    expect(sent).toHaveLength(1);
    await advanceTime(10 * MINUTE_ms);
    await handle(2, later?.jobId ?? '');
    expect(sent).toHaveLength(2);
  });
});
