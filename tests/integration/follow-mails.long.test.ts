import {
  account,
  follows,
  JobRejected,
  PostponedJobError,
  thread,
  type FollowMailMode,
  type JobKind,
  type JobPayloads,
  type MailTransport,
  type ThreadEvent,
  type BulkJobQueue,
  type NewJob,
} from '@alpenglow/domain';
import { unfollowThread } from '@alpenglow/domain/deciders';
import { createFollowDirectory, createInbox, createReplyNotifications, type Pool } from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDigestMailHandler } from '../../workers/src/digest-mail.ts';
import { digestWindow } from '../../workers/src/digest-window.ts';
import { createMailOneFollowerHandler } from '../../workers/src/mail-one-follower.ts';
import { enqueueDigestMails } from '../../workers/src/enqueue-digest-mails.ts';
import { createThreadRepliesHandler } from '../../workers/src/thread-replies.ts';
import { createJobContext } from '../support/job-context.ts';
import { TEST_ORIGIN } from '../support/recording.ts';
import { openThreadMails, type ThreadMails } from '../support/thread-mails.ts';

// Tests the jobs that send mails to followers of threads. The tests use a real database, real read models and a test
// clock.

const MINUTE_ms = 60_000;
const HOUR_ms = 60 * MINUTE_ms;
const context = createJobContext();
const READ_MODELS = ['thread_follows', 'community_threads', 'community_posts'];

type Enqueued = {
  readonly [K in JobKind]: {
    readonly kind: K;
    readonly payload: JobPayloads[K];
    readonly jobId: string;
    readonly delay_ms: number;
  };
}[JobKind];

let system: ThreadMails;
let pool: Pool;
let commands: ThreadMails['commands'];
let threads: ThreadMails['threads'];
let transport: MailTransport;
/** All enqueued jobs. Each job id occurs only once. */
let enqueued: Enqueued[];

beforeEach(async () => {
  enqueued = [];
  const createTransport = (opened: Pool): MailTransport => {
    transport = createInbox(opened);
    return { ...transport, send: (mail) => transport.send(mail) };
  };
  system = await openThreadMails(createTransport, { readModels: READ_MODELS });
  ({ pool, commands, threads } = system);
});
afterEach(() => system.close());

async function waitForReadModels(): Promise<void> {
  const head = await system.store.readHead();
  const reached = await Promise.all(READ_MODELS.map((name) => system.deps.progress.waitFor(name, head)));
  expect(reached).toEqual([true, true, true]);
}

const jobs = {
  enqueue<K extends JobKind>(
    kind: K,
    payload: JobPayloads[K],
    { jobId, delay_ms = 0 }: { jobId: string; delay_ms?: number },
  ) {
    if (!enqueued.some((job) => job.jobId === jobId)) enqueued.push({ kind, payload, jobId, delay_ms } as Enqueued);
    return Promise.resolve();
  },
  async enqueueAll<K extends JobKind>(kind: K, batch: readonly NewJob<K>[]) {
    for (const { payload, ...options } of batch) await jobs.enqueue(kind, payload, options);
    return [];
  },
  close: () => Promise.resolve(),
};
const deps = () => ({ ...system.deps, jobs });

const signUp = (accountId: string, options?: { readonly isVerified: boolean }) => system.signUp([accountId], options);
const follow = (accountId: string, threadId: string, mail: FollowMailMode, at?: string) =>
  system.follow([accountId], threadId, mail, at);
const recordEvent = (threadId: string, event: ThreadEvent) => threads.happen(threadId, () => [event]);

/** Runs the job that handles a new reply, and then all due jobs that it enqueues. */
async function processReply(threadId: string, number: number, now?: () => number): Promise<void> {
  await createThreadRepliesHandler(deps(), now)({ threadId, number }, context);
  await runDueJobs();
}
/** Runs all due jobs. */
async function runDueJobs(): Promise<void> {
  for (let job = findDue(); job; job = findDue()) {
    enqueued = enqueued.map((other) => (other === job ? { ...other, delay_ms: Infinity } : other));
    if (job.kind === 'reply-mail') await createMailOneFollowerHandler(deps())(job.payload, context);
    if (job.kind === 'digest-mail') await createDigestMailHandler(deps(), () => Date.parse(NOON))(job.payload, context);
  }
}
const findDue = () => enqueued.find(({ delay_ms }) => delay_ms === 0);
const findDelayed = () => enqueued.filter(({ delay_ms }) => delay_ms > 0 && delay_ms < Infinity);
/** Simulates the passage of time and runs the jobs that become due. Stored times are moved into the past. */
async function advanceTime(ms: number): Promise<void> {
  await pool.query(`update mail.told_replies set at = at - $1 * interval '1 ms'`, [ms]);
  enqueued = enqueued.map((job) => (job.delay_ms <= ms ? { ...job, delay_ms: 0 } : job));
  await runDueJobs();
}

interface SentMail {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}
const readMails = async () =>
  (await pool.query<SentMail>('select id, "to", subject, text from mail.inbox order by at, id')).rows;
const readSummaries = async () => (await readMails()).map(({ to, subject }) => `${to.split('@')[0] ?? ''}: ${subject}`);

describe('the mail about a new reply', () => {
  let threadId: string;
  beforeEach(async () => {
    for (const name of ['anna', 'ben', 'carla']) await signUp(name);
    ({ id: threadId } = await threads.start({ accountId: 'anna', title: 'Tea' }));
  });
  const reply = (from: number, ...authors: readonly string[]) =>
    threads.reply(
      threadId,
      from,
      authors.map((accountId) => ({ accountId, body: 'Whisper of the tall grass' })),
    );

  test('is sent once to instant followers except the author, without text and author of the reply', async () => {
    await signUp('dora');
    await follow('anna', threadId, 'instant');
    await follow('ben', threadId, 'instant');
    await follow('carla', threadId, 'daily');
    await follow('dora', threadId, 'off');
    await reply(1, 'ben');
    await processReply(threadId, 1);
    await processReply(threadId, 1);
    expect(await readSummaries()).toEqual(['anna: New reply in “Tea”']);
    const [mail] = await readMails();
    expect(mail?.text).toMatch(
      new RegExp(`${system.deps.site}/community/us/nv/las-vegas/tea-\\w{10}\\?post=1#post-1\\n`, 'u'),
    );
    expect(mail?.text).not.toMatch(/Whisper|grass|ben/u);
    const token = /unsubscribe#(\S+)/u.exec(mail?.text ?? '')?.[1] ?? '';
    expect(system.deps.unsubscribeTokens.read(token)).toEqual({ accountId: 'anna', threadId });
  });

  test('is sent to all followers across several pages', async () => {
    const followers = Array.from({ length: 7 }, (_, index) => `m${index}`);
    for (const accountId of followers) await follow(accountId, threadId, 'instant');
    await waitForReadModels();
    const directory = createFollowDirectory(pool);
    const listed: string[] = [];
    for (let from: string | null = ''; from !== null; ) {
      const page: Awaited<ReturnType<typeof directory.instantFollowers>> = await directory.instantFollowers(
        threadId,
        new Date(Date.now() + MINUTE_ms),
        { from, until: 'm6', limit: 4 },
      );
      listed.push(...page.slice(0, 3).map(({ accountId }) => accountId));
      from = page[3]?.from ?? null;
    }
    expect(listed).toEqual(followers.slice(0, 6));
  });

  test('is not sent to members who followed after the reply', async () => {
    await threads.reply(
      threadId,
      1,
      [{ accountId: 'ben', body: 'Early' }],
      new Date(Date.now() - MINUTE_ms).toISOString(),
    );
    await follow('anna', threadId, 'instant');
    await processReply(threadId, 1);
    expect(await readSummaries()).toEqual([]);
  });

  test('is not sent for replies older than a day, which a restarted reactor may process', async () => {
    await follow('anna', threadId, 'instant', new Date(Date.now() - 26 * HOUR_ms).toISOString());
    await threads.reply(
      threadId,
      1,
      [{ accountId: 'ben', body: 'Old' }],
      new Date(Date.now() - 25 * HOUR_ms).toISOString(),
    );
    await threads.reply(
      threadId,
      2,
      [{ accountId: 'ben', body: 'Younger' }],
      new Date(Date.now() - 23 * HOUR_ms).toISOString(),
    );
    await processReply(threadId, 1);
    expect(await readSummaries()).toEqual([]);
    await processReply(threadId, 2);
    expect(await readSummaries()).toEqual(['anna: New reply in “Tea”']);
  });

  const changesOfFollower: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'has unfollowed the thread',
      () => commands.execute(follows, 'anna', unfollowThread, { threadId, accountId: 'anna' }, TEST_ORIGIN),
    ],
    ['has turned off mails', () => follow('anna', threadId, 'off')],
    ['has chosen daily mails', () => follow('anna', threadId, 'daily')],
    [
      'has closed the account',
      () =>
        commands.handle(
          account,
          'anna',
          () => [{ type: 'AccountClosed', data: { accountId: 'anna', reason: null } }],
          TEST_ORIGIN,
        ),
    ],
  ];
  test.each(changesOfFollower)('is not sent to a follower who %s in the meantime', async (_, change) => {
    await follow('anna', threadId, 'instant');
    await follow('carla', threadId, 'instant');
    await reply(1, 'ben');
    await createThreadRepliesHandler(deps())({ threadId, number: 1 }, context);
    await change();
    await runDueJobs();
    expect(await readSummaries()).toEqual(['carla: New reply in “Tea”']);
  });

  test('is not sent two days after the reply, even if no record of an earlier mail exists', async () => {
    await follow('anna', threadId, 'instant');
    await reply(1, 'ben');
    const payload = { accountId: 'anna', threadId, number: 1 };
    const runAfter = (hours: number) =>
      createMailOneFollowerHandler(deps(), () => Date.now() + hours * 60 * 60_000)(payload, context);
    await runAfter(49);
    expect(await readSummaries()).toEqual([]);
    await runAfter(47);
    expect(await readSummaries()).toEqual(['anna: New reply in “Tea”']);
  });

  test('is not sent to unverified addresses and stand-in accounts', async () => {
    await signUp('eve', { isVerified: false });
    const standIn = {
      accountId: 'shadow',
      ofAccountId: 'anna',
      email: 'anna@example.com',
      passwordHash: 'x',
      userType: 'client',
      displayName: 'Shadow',
      age: 30,
      issuanceId: 'i',
      expiresAt: new Date().toISOString(),
    } as const;
    await commands.handle(
      account,
      'shadow',
      () => [
        { type: 'SignUpRepeated', data: standIn },
        { type: 'EmailVerified', data: { accountId: 'shadow' } },
      ],
      TEST_ORIGIN,
    );
    for (const accountId of ['eve', 'shadow', 'carla']) await follow(accountId, threadId, 'instant');
    await reply(1, 'ben');
    await processReply(threadId, 1);
    expect(await readSummaries()).toEqual(['carla: New reply in “Tea”']);
  });

  const removals: readonly (readonly [string, () => ThreadEvent])[] = [
    [
      'the reply was hidden',
      () => ({ type: 'PostHidden', data: { threadId, number: 1, accountId: 'ben', by: 'moderator', reason: null } }),
    ],
    ['the reply was deleted', () => ({ type: 'PostDeleted', data: { threadId, number: 1, accountId: 'ben' } })],
    [
      'the thread was hidden',
      () => ({ type: 'PostHidden', data: { threadId, number: 0, accountId: 'anna', by: 'report', reason: null } }),
    ],
    [
      'the opening post with the title was deleted',
      () => ({ type: 'PostDeleted', data: { threadId, number: 0, accountId: 'anna' } }),
    ],
  ];
  test.each(removals)('is not sent when %s in the meantime', async (_, event) => {
    await follow('carla', threadId, 'instant');
    await reply(1, 'ben');
    await createThreadRepliesHandler(deps())({ threadId, number: 1 }, context);
    expect(enqueued).toHaveLength(1);
    await recordEvent(threadId, event());
    await runDueJobs();
    expect(await readSummaries()).toEqual([]);
  });

  test('is followed by one mail for all replies within ten minutes', async () => {
    await follow('carla', threadId, 'instant');
    await reply(1, 'ben');
    await processReply(threadId, 1);
    await reply(2, 'ben', 'carla', 'anna', 'ben');
    for (const number of [2, 3, 4, 5]) await processReply(threadId, number);
    expect(await readSummaries()).toEqual(['carla: New reply in “Tea”']);
    expect(findDelayed()).toHaveLength(1);
    expect(findDelayed()[0]?.delay_ms).toBeGreaterThan(9 * MINUTE_ms);

    await recordEvent(threadId, {
      type: 'PostHidden',
      data: { threadId, number: 2, accountId: 'ben', by: 'moderator', reason: null },
    });
    await advanceTime(10 * MINUTE_ms);
    expect(await readSummaries()).toEqual(['carla: New reply in “Tea”', 'carla: 2 new replies in “Tea”']);
    expect((await readMails())[1]?.text).toContain('?post=4#post-4');
    await reply(6, 'ben');
    await processReply(threadId, 6);
    expect(await readMails()).toHaveLength(2);
    await advanceTime(10 * MINUTE_ms);
    expect(await readSummaries()).toEqual([
      'carla: New reply in “Tea”',
      'carla: 2 new replies in “Tea”',
      'carla: New reply in “Tea”',
    ]);
  });

  test('does not delay mails about other threads', async () => {
    const other = await threads.start({ accountId: 'anna', title: 'Coffee' });
    await follow('carla', threadId, 'instant');
    await follow('carla', other.id, 'instant');
    await reply(1, 'ben');
    await processReply(threadId, 1);
    await threads.reply(other.id, 1, [{ accountId: 'ben', body: 'There' }]);
    await processReply(other.id, 1);
    expect(await readSummaries()).toEqual(['carla: New reply in “Tea”', 'carla: New reply in “Coffee”']);
  });

  test('is retried unchanged after a failure, even with newer replies', async () => {
    await follow('carla', threadId, 'instant');
    await reply(1, 'ben');
    const inbox = transport;
    transport = { ...inbox, send: () => Promise.reject(new Error('connection lost')) };
    await expect(processReply(threadId, 1)).rejects.toThrow('connection lost');
    transport = inbox;
    await pool.query(`update mail.sent set locked_until = now()`);
    await reply(2, 'ben');
    await createMailOneFollowerHandler(deps())({ accountId: 'carla', threadId, number: 1 }, context);
    await createMailOneFollowerHandler(deps())({ accountId: 'carla', threadId, number: 1 }, context);
    expect((await readMails()).map(({ id }) => id)).toEqual([`reply-carla-${threadId}-1`]);
    expect(await readSummaries()).toEqual(['carla: New reply in “Tea”']);
  });

  test('is sent once when several processes run the job concurrently', async () => {
    await follow('carla', threadId, 'instant');
    await reply(1, 'ben', 'anna');
    await Promise.allSettled(
      [1, 2, 1, 2].map((number) =>
        createMailOneFollowerHandler(deps())({ accountId: 'carla', threadId, number }, context),
      ),
    );
    expect(await readMails()).toHaveLength(1);
  });

  test('is postponed by a whole number of milliseconds, which the queue requires', async () => {
    const replyNotifications = createReplyNotifications(pool);
    const begin = async (number: number) =>
      (await replyNotifications.beginMails({ threadId, accountIds: ['carla'] }, number, number)).get('carla');
    expect(await begin(1)).toEqual({ kind: 'mail', first: 1, upTo: 1 });
    expect(await begin(2)).toEqual({
      kind: 'later',
      after_ms: expect.toSatisfy(Number.isInteger),
      notifiedUpTo: 1,
    });
  });

  test('is recorded to limit the frequency of mails, and the record is deleted after three days', async () => {
    await follow('carla', threadId, 'instant');
    await reply(1, 'ben');
    await processReply(threadId, 1);
    const replyNotifications = createReplyNotifications(pool);
    const countRecords = async () => (await pool.query('select from mail.told_replies')).rowCount;
    await pool.query(`update mail.told_replies set at = now() - interval '71 hours'`);
    await replyNotifications.sweep();
    expect(await countRecords()).toBe(1);
    await pool.query(`update mail.told_replies set at = now() - interval '73 hours'`);
    await replyNotifications.sweep();
    expect(await countRecords()).toBe(0);
  });
});

/** The day that the tested mails cover. `NOON` is a time after the mails are due. */
const DAY = '2026-03-02';
const NOON = '2026-03-02T12:00:00.000Z';

describe('the daily mail', () => {
  const before = (to: string, ms: number) => new Date(Date.parse(to) - ms).toISOString();
  const END = digestWindow(DAY).to.toISOString();
  const LONG_AGO = '2026-01-01T00:00:00.000Z';

  async function createThread(
    title: string,
    ...repliedAt: readonly (readonly [author: string, at: string])[]
  ): Promise<string> {
    const { id } = await threads.start({ accountId: 'anna', title, at: LONG_AGO });
    for (const [index, [accountId, at]] of repliedAt.entries())
      await threads.reply(id, index + 1, [{ accountId, body: 'Whisper of the tall grass' }], at);
    return id;
  }
  async function enqueueDigests(now = NOON): Promise<number> {
    await waitForReadModels();
    return enqueueDigestMails(deps(), Date.parse(now), context.signal);
  }
  async function sendAll(now = NOON): Promise<void> {
    await enqueueDigests(now);
    await runDueJobs();
  }
  beforeEach(async () => {
    for (const name of ['anna', 'ben', 'carla']) await signUp(name);
  });

  test('counts the replies of others within 24 hours per thread, newest first, and is sent once', async () => {
    const tea = await createThread(
      'Tea',
      ['ben', before(END, 49 * HOUR_ms)],
      ['ben', before(END, 24 * HOUR_ms)],
      ['carla', before(END, 5 * HOUR_ms)],
      ['anna', before(END, 4 * HOUR_ms)],
    );
    const coffee = await createThread('Coffee', ['ben', before(END, 1)], ['ben', END]);
    const water = await createThread('Water', ['carla', before(END, HOUR_ms)]);
    for (const id of [tea, coffee, water]) await follow('carla', id, 'daily', LONG_AGO);
    await sendAll();
    expect(await readSummaries()).toEqual(['carla: New replies in 2 threads you follow']);
    const [mail] = await readMails();
    expect(mail?.text).toMatch(
      /“Coffee”: 1 new reply\n\S+\?post=1#post-1\n\n“Tea”: 2 new replies\n\S+\?post=2#post-2\n/u,
    );
    expect(mail?.text).not.toMatch(/Water|Whisper/u);
    expect(system.deps.unsubscribeTokens.read(/unsubscribe#(\S+)/u.exec(mail?.text ?? '')?.[1] ?? '')).toEqual({
      accountId: 'carla',
      threadId: null,
    });

    enqueued = [];
    expect(await enqueueDigests()).toBe(0);
    await createDigestMailHandler(deps(), () => Date.parse(NOON))({ accountId: 'carla', day: DAY }, context);
    expect(await readMails()).toHaveLength(1);
    expect((await readMails())[0]?.id).toBe(`digest-carla-${DAY}`);
  });

  test('is enqueued although the mail of another follower cannot be enqueued', async () => {
    const tea = await createThread('Tea', ['ben', before(END, HOUR_ms)]);
    for (const name of ['anna', 'carla']) await follow(name, tea, 'daily', LONG_AGO);
    await waitForReadModels();
    const failing: BulkJobQueue = {
      ...jobs,
      async enqueueAll(kind, batch) {
        const accepted = batch.filter(({ jobId }) => !jobId.includes('anna'));
        await jobs.enqueueAll(kind, accepted);
        return batch
          .filter((job) => !accepted.includes(job))
          .map(({ jobId }) => ({ jobId, error: new JobRejected('refused') }));
      },
    };
    const attempted = enqueueDigestMails({ ...deps(), jobs: failing }, Date.parse(NOON), context.signal);
    await expect(attempted).rejects.toThrow('1 items failed (send-digests): refused');
    expect(enqueued).toMatchObject([{ kind: 'digest-mail', payload: { accountId: 'carla', day: DAY } }]);
  });

  test('includes a reply at the end of a period in the mail of the next day', async () => {
    const tea = await createThread('Tea', ['ben', END]);
    await follow('carla', tea, 'daily', LONG_AGO);
    expect(await enqueueDigests()).toBe(0);
    expect(await enqueueDigests('2026-03-03T08:00:59.000Z')).toBe(0);
    expect(await enqueueDigests('2026-03-03T08:01:00.000Z')).toBe(1);
    expect(enqueued).toMatchObject([{ kind: 'digest-mail', payload: { accountId: 'carla', day: '2026-03-03' } }]);
  });

  test('is sent one day late after an outage, but not later', async () => {
    const tea = await createThread('Tea', ['ben', before(END, 49 * HOUR_ms)], ['ben', before(END, 25 * HOUR_ms)]);
    await follow('carla', tea, 'daily', LONG_AGO);
    await sendAll();
    expect((await readMails()).map(({ id }) => id)).toEqual(['digest-carla-2026-03-01']);
    await createDigestMailHandler(deps(), () => Date.parse(NOON))({ accountId: 'carla', day: '2026-02-28' }, context);
    expect(await readMails()).toHaveLength(1);
  });

  test('is sent later if the clock of the process that enqueued it was ahead', async () => {
    const tea = await createThread('Tea', ['ben', before(END, HOUR_ms)]);
    await follow('carla', tea, 'daily', LONG_AGO);
    await waitForReadModels();
    const send = (now_ms: number) =>
      createDigestMailHandler(deps(), () => now_ms)({ accountId: 'carla', day: DAY }, context);
    await expect(send(Date.parse(END) - 1_000)).rejects.toThrow(PostponedJobError);
    expect(await readMails()).toEqual([]);
    await send(Date.parse(NOON));
    expect(await readMails()).toHaveLength(1);
  });

  test('omits replies before the follow, other mail settings and hidden posts and threads', async () => {
    const tea = await createThread('Tea', ['ben', before(END, 2 * HOUR_ms)]);
    const hidden = await createThread('Hidden', ['ben', before(END, 2 * HOUR_ms)]);
    const gone = await createThread('Gone', ['ben', before(END, 2 * HOUR_ms)]);
    await recordEvent(hidden, {
      type: 'PostHidden',
      data: { threadId: hidden, number: 1, accountId: 'ben', by: 'report', reason: null },
    });
    await recordEvent(gone, {
      type: 'PostHidden',
      data: { threadId: gone, number: 0, accountId: 'anna', by: 'moderator', reason: null },
    });
    await follow('anna', tea, 'instant', LONG_AGO);
    await follow('ben', tea, 'daily', LONG_AGO);
    await follow('carla', tea, 'daily', before(END, HOUR_ms));
    await follow('carla', hidden, 'daily', LONG_AGO);
    await follow('carla', gone, 'daily', LONG_AGO);
    expect(await enqueueDigests()).toBe(0);
    for (const accountId of ['anna', 'ben', 'carla'])
      await createDigestMailHandler(deps(), () => Date.parse(NOON))({ accountId, day: DAY }, context);
    expect(await readSummaries()).toEqual([]);
  });

  const changesOfFollower: readonly (readonly [string, (threadId: string) => Promise<unknown>])[] = [
    ['has turned off mails', (threadId) => follow('carla', threadId, 'off')],
    [
      'has unfollowed the thread',
      (threadId) => commands.execute(follows, 'carla', unfollowThread, { threadId, accountId: 'carla' }, TEST_ORIGIN),
    ],
    [
      'has closed the account',
      () =>
        commands.handle(
          account,
          'carla',
          () => [{ type: 'AccountClosed', data: { accountId: 'carla', reason: null } }],
          TEST_ORIGIN,
        ),
    ],
  ];
  test.each(changesOfFollower)('is not sent to a follower who %s in the meantime', async (_, change) => {
    const tea = await createThread('Tea', ['ben', before(END, HOUR_ms)]);
    await follow('carla', tea, 'daily', LONG_AGO);
    expect(await enqueueDigests()).toBe(1);
    await change(tea);
    await runDueJobs();
    expect(await readSummaries()).toEqual([]);
  });

  test('lists twenty threads and the number of further threads', async () => {
    for (let index = 0; index < 23; index += 1)
      await follow(
        'carla',
        await createThread(`Place ${index}`, ['ben', before(END, (index + 1) * MINUTE_ms)]),
        'daily',
        LONG_AGO,
      );
    await sendAll();
    const [mail] = await readMails();
    expect(mail?.subject).toBe('New replies in 23 threads you follow');
    expect(mail?.text.match(/new repl(?:y|ies)\n/gu)).toHaveLength(20);
    expect(mail?.text).toContain('“Place 0”');
    expect(mail?.text).not.toContain('“Place 20”');
    expect(mail?.text).toContain('And 3 more.');
  });

  test('is sent to all recipients across several pages', async () => {
    const tea = await createThread('Tea', ['anna', before(END, HOUR_ms)]);
    const followers = Array.from({ length: 5 }, (_, index) => `m${index}`);
    for (const accountId of followers) await follow(accountId, tea, 'daily', LONG_AGO);
    await waitForReadModels();
    const directory = createFollowDirectory(pool);
    const first = await directory.digestsDue(DAY, digestWindow(DAY), { after: null, limit: 3 });
    expect([
      ...first,
      ...(await directory.digestsDue(DAY, digestWindow(DAY), { after: first.at(-1) ?? null, limit: 3 })),
    ]).toEqual(followers);
  });

  test('links to the current address of a moved thread', async () => {
    const tea = await createThread('Tea', ['ben', before(END, HOUR_ms)]);
    await follow('carla', tea, 'daily', LONG_AGO);
    await recordEvent(tea, {
      type: 'ThreadMoved',
      data: { threadId: tea, country: 'us', state: 'NY', city: 'New York City' },
    });
    await sendAll();
    expect((await readMails())[0]?.text).toContain(`${system.deps.site}/community/us/ny/new-york-city/tea-`);
    expect((await commands.load(thread, tea)).state?.place.state).toBe('NY');
  });
});
