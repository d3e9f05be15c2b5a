import {
  account,
  follows,
  followThread,
  thread,
  unfollowThread,
  type AccountEvent,
  type FollowMail,
  type JobKind,
  type Jobs,
  type MailTransport,
  type ThreadEvent,
} from '@alpenglow/domain';
import {
  createCommandHandler,
  createFollowDirectory,
  createInbox,
  createLogger,
  createPool,
  createPostgresEventStore,
  createReadModelProgress,
  createRecordingMailSender,
  createToldReplies,
  createUnsubscribeTokens,
  type Pool,
} from '@alpenglow/infra';
import { PROJECTIONS, runProjection } from '@alpenglow/projectors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { digestMailJob } from '../../workers/src/digest-mail.ts';
import { digestWindow } from '../../workers/src/digest-window.ts';
import { replyMailJob } from '../../workers/src/reply-mail.ts';
import { sendDigests } from '../../workers/src/send-digests.ts';
import { threadRepliesJob } from '../../workers/src/thread-replies.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { PATIENCE_ms } from '../support/patience.ts';
import { BY_TEST } from '../support/recording.ts';
import { threadRecorder } from '../support/threads.ts';

/** The jobs that mail those who follow threads, on the real database and read models, by clocks of our own. */

const MINUTE_ms = 60_000;
const HOUR_ms = 60 * MINUTE_ms;
const site = 'https://alpenglow.example';
const unsubscribeTokens = createUnsubscribeTokens('ab'.repeat(32));
const context = { attempt: 1, signal: new AbortController().signal };

type Enqueued = {
  readonly [K in JobKind]: {
    readonly kind: K;
    readonly payload: Jobs[K];
    readonly jobId: string;
    readonly delay_ms: number;
  };
}[JobKind];

let database: TestDatabase;
let pool: Pool;
let store: ReturnType<typeof createPostgresEventStore>;
let commands: ReturnType<typeof createCommandHandler>;
let progress: ReturnType<typeof createReadModelProgress>;
let threads: ReturnType<typeof threadRecorder>;
let transport: MailTransport;
let stopProjections: () => Promise<void>;
/** Jobs as they were enqueued, each id once. */
let enqueued: Enqueued[];

beforeEach(async () => {
  database = await createMigratedDatabase();
  const { connectionString } = database;
  pool = createPool({ connectionString, max: 8, applicationName: 'test' });
  store = createPostgresEventStore({ pool, connectionString });
  commands = createCommandHandler(store);
  threads = threadRecorder({ commands });
  transport = createInbox(pool);
  enqueued = [];
  const stopped = new AbortController();
  const running = PROJECTIONS.filter(({ name }) =>
    ['thread_follows', 'community_threads', 'community_posts'].includes(name),
  ).map((projection) => runProjection(projection, { store, pool, log: createLogger('silent') }, stopped.signal));
  expect(running).toHaveLength(3);
  progress = createReadModelProgress({ pool, connectionString, limit_ms: PATIENCE_ms });
  stopProjections = async () => {
    stopped.abort();
    // One that is told to stop while it waits for the database says so.
    await Promise.allSettled(running);
  };
});
afterEach(async () => {
  await stopProjections();
  await progress.close();
  await store.close();
  await pool.end();
  await database.drop();
});

async function readModelsAreUpToDate(): Promise<void> {
  const head = await store.head();
  const reached = await Promise.all(
    ['thread_follows', 'community_threads', 'community_posts'].map((name) => progress.waitFor(name, head)),
  );
  expect(reached).toEqual([true, true, true]);
}

const jobs = {
  enqueue<K extends JobKind>(kind: K, payload: Jobs[K], { jobId, delay_ms = 0 }: { jobId: string; delay_ms?: number }) {
    if (!enqueued.some((job) => job.jobId === jobId)) enqueued.push({ kind, payload, jobId, delay_ms } as Enqueued);
    return Promise.resolve();
  },
  close: () => Promise.resolve(),
};
const mail = () => createRecordingMailSender(pool, { ...transport, send: (one) => transport.send(one) });
const deps = () => ({
  commands,
  store,
  mail: mail(),
  follows: createFollowDirectory(pool),
  toldReplies: createToldReplies(pool),
  progress,
  jobs,
  unsubscribeTokens,
  site,
});

async function join(accountId: string, { isVerified = true } = {}): Promise<void> {
  const registered: AccountEvent = {
    type: 'AccountRegistered',
    data: {
      accountId,
      email: `${accountId}@example.com`,
      passwordHash: 'x',
      userType: 'client',
      displayName: accountId,
      age: 30,
      isDemo: false,
    },
  };
  const verified: AccountEvent = { type: 'EmailVerified', data: { accountId } };
  await commands.handle(account, accountId, () => (isVerified ? [registered, verified] : [registered]), BY_TEST);
}
const follow = (accountId: string, threadId: string, how: FollowMail, at?: string) =>
  commands.handle(
    follows,
    accountId,
    (state) => followThread({ accountId, threadId, mail: how }, state),
    BY_TEST,
    at === undefined ? {} : { now: at },
  );
const happens = (threadId: string, event: ThreadEvent) => threads.happen(threadId, () => [event]);

/** Runs the job of a reply, and then those that follow from it now. */
async function tell(threadId: string, number: number, now?: () => number): Promise<void> {
  await threadRepliesJob(deps(), now)({ threadId, number }, context);
  await work();
}
/** Does what was enqueued and has not to wait. */
async function work(): Promise<void> {
  for (let job = due(); job; job = due()) {
    enqueued = enqueued.map((one) => (one === job ? { ...one, delay_ms: Infinity } : one));
    if (job.kind === 'reply-mail') await replyMailJob(deps())(job.payload, context);
    if (job.kind === 'digest-mail') await digestMailJob(deps(), () => Date.parse(NOON))(job.payload, context);
  }
}
const due = () => enqueued.find(({ delay_ms }) => delay_ms === 0);
const delayed = () => enqueued.filter(({ delay_ms }) => delay_ms > 0 && delay_ms < Infinity);
/** Lets so much time pass for whoever keeps mails apart, and does what has waited for it. */
async function pass(ms: number): Promise<void> {
  await pool.query(`update mail.told_replies set at = at - $1 * interval '1 ms'`, [ms]);
  enqueued = enqueued.map((one) => (one.delay_ms <= ms ? { ...one, delay_ms: 0 } : one));
  await work();
}

interface Letter {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}
const mails = async () =>
  (await pool.query<Letter>('select id, "to", subject, text from mail.inbox order by at, id')).rows;
const told = async () => (await mails()).map(({ to, subject }) => `${to.split('@')[0] ?? ''}: ${subject}`);

describe('a mail of each reply', () => {
  let threadId: string;
  beforeEach(async () => {
    for (const one of ['anna', 'ben', 'carla']) await join(one);
    ({ id: threadId } = await threads.start({ accountId: 'anna', title: 'Tea' }));
  });
  const reply = (from: number, ...authors: readonly string[]) =>
    threads.reply(
      threadId,
      from,
      authors.map((accountId) => ({ accountId, body: 'Whisper of the tall grass' })),
    );

  test('goes to those who want it, once, and not to its author; without a word of the reply or who wrote it', async () => {
    await join('dora');
    await follow('anna', threadId, 'instant');
    await follow('ben', threadId, 'instant');
    await follow('carla', threadId, 'daily');
    await follow('dora', threadId, 'off');
    await reply(1, 'ben');
    await tell(threadId, 1);
    await tell(threadId, 1);
    expect(await told()).toEqual(['anna: New reply in “Tea”']);
    const [letter] = await mails();
    expect(letter?.text).toMatch(new RegExp(`${site}/community/us/nv/las-vegas/tea-\\w{10}\\?post=1#post-1\\n`, 'u'));
    expect(letter?.text).not.toMatch(/Whisper|grass|ben/u);
    const token = /unsubscribe#(\S+)/u.exec(letter?.text ?? '')?.[1] ?? '';
    expect(unsubscribeTokens.read(token)).toEqual({ accountId: 'anna', threadId });
  });

  test('finds followers who are more than a page', async () => {
    const many = Array.from({ length: 7 }, (_, index) => `m${index}`);
    for (const one of many) await follow(one, threadId, 'instant');
    await readModelsAreUpToDate();
    const directory = createFollowDirectory(pool);
    const found: string[] = [];
    for (let after: string | null = null, size = 3; size === 3; ) {
      const page: readonly string[] = await directory.instantFollowers(threadId, new Date(Date.now() + MINUTE_ms), {
        after,
        limit: 3,
      });
      found.push(...page);
      after = page.at(-1) ?? null;
      size = page.length;
    }
    expect(found).toEqual(many);
  });

  test('is not for those who came after the reply', async () => {
    await threads.reply(
      threadId,
      1,
      [{ accountId: 'ben', body: 'Early' }],
      new Date(Date.now() - MINUTE_ms).toISOString(),
    );
    await follow('anna', threadId, 'instant');
    await tell(threadId, 1);
    expect(await told()).toEqual([]);
  });

  test('is not sent of a reply of long ago, such as reactors that begin anew come by', async () => {
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
    await tell(threadId, 1);
    expect(await told()).toEqual([]);
    await tell(threadId, 2);
    expect(await told()).toEqual(['anna: New reply in “Tea”']);
  });

  const meanwhile: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'follows no longer',
      () => commands.handle(follows, 'anna', (state) => unfollowThread(threadId, 'anna', state), BY_TEST),
    ],
    ['wants no mail any more', () => follow('anna', threadId, 'off')],
    ['wants one a day', () => follow('anna', threadId, 'daily')],
    [
      'has closed the account',
      () =>
        commands.handle(
          account,
          'anna',
          () => [{ type: 'AccountClosed', data: { accountId: 'anna', reason: null } }],
          BY_TEST,
        ),
    ],
  ];
  test.each(meanwhile)('is not for somebody who meanwhile %s', async (_, happen) => {
    await follow('anna', threadId, 'instant');
    await follow('carla', threadId, 'instant');
    await reply(1, 'ben');
    await threadRepliesJob(deps())({ threadId, number: 1 }, context);
    await happen();
    await work();
    expect(await told()).toEqual(['carla: New reply in “Tea”']);
  });

  test('is not for an address nobody has confirmed, nor for an account that stands in for another', async () => {
    await join('eve', { isVerified: false });
    const shadow = {
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
        { type: 'SignUpRepeated', data: shadow },
        { type: 'EmailVerified', data: { accountId: 'shadow' } },
      ],
      BY_TEST,
    );
    for (const one of ['eve', 'shadow', 'carla']) await follow(one, threadId, 'instant');
    await reply(1, 'ben');
    await tell(threadId, 1);
    expect(await told()).toEqual(['carla: New reply in “Tea”']);
  });

  const gone: readonly (readonly [string, () => ThreadEvent])[] = [
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
      'its opening post was deleted, and with it the title',
      () => ({ type: 'PostDeleted', data: { threadId, number: 0, accountId: 'anna' } }),
    ],
  ];
  test.each(gone)('is not sent when %s meanwhile', async (_, event) => {
    await follow('carla', threadId, 'instant');
    await reply(1, 'ben');
    await threadRepliesJob(deps())({ threadId, number: 1 }, context);
    expect(enqueued).toHaveLength(1);
    await happens(threadId, event());
    await work();
    expect(await told()).toEqual([]);
  });

  test('gathers what comes within ten minutes of it into the next one, which comes by itself', async () => {
    await follow('carla', threadId, 'instant');
    await reply(1, 'ben');
    await tell(threadId, 1);
    await reply(2, 'ben', 'carla', 'anna', 'ben');
    for (const number of [2, 3, 4, 5]) await tell(threadId, number);
    expect(await told()).toEqual(['carla: New reply in “Tea”']);
    expect(delayed()).toHaveLength(1);
    expect(delayed()[0]?.delay_ms).toBeGreaterThan(9 * MINUTE_ms);

    await happens(threadId, {
      type: 'PostHidden',
      data: { threadId, number: 2, accountId: 'ben', by: 'moderator', reason: null },
    });
    await pass(10 * MINUTE_ms);
    expect(await told()).toEqual(['carla: New reply in “Tea”', 'carla: 2 new replies in “Tea”']);
    expect((await mails())[1]?.text).toContain('?post=4#post-4');
    await reply(6, 'ben');
    await tell(threadId, 6);
    expect(await mails()).toHaveLength(2);
    await pass(10 * MINUTE_ms);
    expect(await told()).toEqual([
      'carla: New reply in “Tea”',
      'carla: 2 new replies in “Tea”',
      'carla: New reply in “Tea”',
    ]);
  });

  test('of another thread, or for somebody else, waits for none of that', async () => {
    const other = await threads.start({ accountId: 'anna', title: 'Coffee' });
    await follow('carla', threadId, 'instant');
    await follow('carla', other.id, 'instant');
    await reply(1, 'ben');
    await tell(threadId, 1);
    await threads.reply(other.id, 1, [{ accountId: 'ben', body: 'There' }]);
    await tell(other.id, 1);
    expect(await told()).toEqual(['carla: New reply in “Tea”', 'carla: New reply in “Coffee”']);
  });

  test('that could not be sent is sent after all, the same one, whatever has come since', async () => {
    await follow('carla', threadId, 'instant');
    await reply(1, 'ben');
    const inbox = transport;
    transport = { ...inbox, send: () => Promise.reject(new Error('cut off')) };
    await expect(tell(threadId, 1)).rejects.toThrow('cut off');
    transport = inbox;
    await pool.query(`update mail.sent set locked_until = now()`);
    await reply(2, 'ben');
    await replyMailJob(deps())({ accountId: 'carla', threadId, number: 1 }, context);
    await replyMailJob(deps())({ accountId: 'carla', threadId, number: 1 }, context);
    expect((await mails()).map(({ id }) => id)).toEqual([`reply-carla-${threadId}-1`]);
    expect(await told()).toEqual(['carla: New reply in “Tea”']);
  });

  test('goes once when two processes come by it at the same time', async () => {
    await follow('carla', threadId, 'instant');
    await reply(1, 'ben', 'anna');
    await Promise.allSettled(
      [1, 2, 1, 2].map((number) => replyMailJob(deps())({ accountId: 'carla', threadId, number }, context)),
    );
    expect(await mails()).toHaveLength(1);
  });

  test('a mail that is too soon comes back after whole milliseconds, which is what a queue takes', async () => {
    const toldReplies = createToldReplies(pool);
    const follower = { accountId: 'carla', threadId };
    expect(await toldReplies.begin(follower, 1, 1)).toEqual({ kind: 'mail', first: 1, upTo: 1 });
    expect(await toldReplies.begin(follower, 2, 2)).toEqual({
      kind: 'later',
      after_ms: expect.toSatisfy(Number.isInteger),
      toldUpTo: 1,
    });
  });

  test('what keeps mails apart is forgotten after a day', async () => {
    await follow('carla', threadId, 'instant');
    await reply(1, 'ben');
    await tell(threadId, 1);
    const toldReplies = createToldReplies(pool);
    const known = async () => (await pool.query('select from mail.told_replies')).rowCount;
    await pool.query(`update mail.told_replies set at = now() - interval '23 hours'`);
    await toldReplies.sweep();
    expect(await known()).toBe(1);
    await pool.query(`update mail.told_replies set at = now() - interval '25 hours'`);
    await toldReplies.sweep();
    expect(await known()).toBe(0);
  });
});

/** The day whose mails are looked at, and a moment after they are due. */
const DAY = '2026-03-02';
const NOON = '2026-03-02T12:00:00.000Z';

describe('one mail a day', () => {
  const before = (to: string, ms: number) => new Date(Date.parse(to) - ms).toISOString();
  const END = digestWindow(DAY).to.toISOString();
  const LONG_AGO = '2026-01-01T00:00:00.000Z';

  async function threadOf(
    title: string,
    ...repliedAt: readonly (readonly [author: string, at: string])[]
  ): Promise<string> {
    const { id } = await threads.start({ accountId: 'anna', title, at: LONG_AGO });
    for (const [index, [accountId, at]] of repliedAt.entries())
      await threads.reply(id, index + 1, [{ accountId, body: 'Whisper of the tall grass' }], at);
    return id;
  }
  async function round(now = NOON): Promise<number> {
    await readModelsAreUpToDate();
    return sendDigests(deps(), Date.parse(now), context.signal);
  }
  async function send(now = NOON): Promise<void> {
    await round(now);
    await work();
  }
  beforeEach(async () => {
    for (const one of ['anna', 'ben', 'carla']) await join(one);
  });

  test('counts what others have replied in its 24 hours, thread by thread, the last first; once', async () => {
    const tea = await threadOf(
      'Tea',
      ['ben', before(END, 49 * HOUR_ms)],
      ['ben', before(END, 24 * HOUR_ms)],
      ['carla', before(END, 5 * HOUR_ms)],
      ['anna', before(END, 4 * HOUR_ms)],
    );
    const coffee = await threadOf('Coffee', ['ben', before(END, 1)], ['ben', END]);
    const water = await threadOf('Water', ['carla', before(END, HOUR_ms)]);
    for (const id of [tea, coffee, water]) await follow('carla', id, 'daily', LONG_AGO);
    await send();
    expect(await told()).toEqual(['carla: New replies in 2 threads you follow']);
    const [letter] = await mails();
    expect(letter?.text).toMatch(
      /“Coffee”: 1 new reply\n\S+\?post=1#post-1\n\n“Tea”: 2 new replies\n\S+\?post=2#post-2\n/u,
    );
    expect(letter?.text).not.toMatch(/Water|Whisper/u);
    expect(unsubscribeTokens.read(/unsubscribe#(\S+)/u.exec(letter?.text ?? '')?.[1] ?? '')).toEqual({
      accountId: 'carla',
      threadId: null,
    });

    enqueued = [];
    expect(await round()).toBe(0);
    await digestMailJob(deps(), () => Date.parse(NOON))({ accountId: 'carla', day: DAY }, context);
    expect(await mails()).toHaveLength(1);
    expect((await mails())[0]?.id).toBe(`digest-carla-${DAY}`);
  });

  test('what comes at the hour itself is for the day after', async () => {
    const tea = await threadOf('Tea', ['ben', END]);
    await follow('carla', tea, 'daily', LONG_AGO);
    expect(await round()).toBe(0);
    expect(await round('2026-03-03T08:00:59.000Z')).toBe(0);
    expect(await round('2026-03-03T08:01:00.000Z')).toBe(1);
    expect(enqueued).toMatchObject([{ kind: 'digest-mail', payload: { accountId: 'carla', day: '2026-03-03' } }]);
  });

  test('of the day before is sent when nobody was there to send it, and none of earlier days', async () => {
    const tea = await threadOf('Tea', ['ben', before(END, 49 * HOUR_ms)], ['ben', before(END, 25 * HOUR_ms)]);
    await follow('carla', tea, 'daily', LONG_AGO);
    await send();
    expect((await mails()).map(({ id }) => id)).toEqual(['digest-carla-2026-03-01']);
    await digestMailJob(deps(), () => Date.parse(NOON))({ accountId: 'carla', day: '2026-02-28' }, context);
    expect(await mails()).toHaveLength(1);
  });

  test('is not for what was there before one followed, for other ways of being told, or when nothing is to be seen', async () => {
    const tea = await threadOf('Tea', ['ben', before(END, 2 * HOUR_ms)]);
    const hidden = await threadOf('Hidden', ['ben', before(END, 2 * HOUR_ms)]);
    const gone = await threadOf('Gone', ['ben', before(END, 2 * HOUR_ms)]);
    await happens(hidden, {
      type: 'PostHidden',
      data: { threadId: hidden, number: 1, accountId: 'ben', by: 'report', reason: null },
    });
    await happens(gone, {
      type: 'PostHidden',
      data: { threadId: gone, number: 0, accountId: 'anna', by: 'moderator', reason: null },
    });
    await follow('anna', tea, 'instant', LONG_AGO);
    await follow('ben', tea, 'daily', LONG_AGO);
    await follow('carla', tea, 'daily', before(END, HOUR_ms));
    await follow('carla', hidden, 'daily', LONG_AGO);
    await follow('carla', gone, 'daily', LONG_AGO);
    expect(await round()).toBe(0);
    for (const accountId of ['anna', 'ben', 'carla'])
      await digestMailJob(deps(), () => Date.parse(NOON))({ accountId, day: DAY }, context);
    expect(await told()).toEqual([]);
  });

  const stopped: readonly (readonly [string, (threadId: string) => Promise<unknown>])[] = [
    ['wants none any more', (threadId) => follow('carla', threadId, 'off')],
    [
      'follows no longer',
      (threadId) => commands.handle(follows, 'carla', (state) => unfollowThread(threadId, 'carla', state), BY_TEST),
    ],
    [
      'has closed the account',
      () =>
        commands.handle(
          account,
          'carla',
          () => [{ type: 'AccountClosed', data: { accountId: 'carla', reason: null } }],
          BY_TEST,
        ),
    ],
  ];
  test.each(stopped)('is not for somebody who meanwhile %s', async (_, happen) => {
    const tea = await threadOf('Tea', ['ben', before(END, HOUR_ms)]);
    await follow('carla', tea, 'daily', LONG_AGO);
    expect(await round()).toBe(1);
    await happen(tea);
    await work();
    expect(await told()).toEqual([]);
  });

  test('lists twenty threads, and says how many more there are', async () => {
    for (let index = 0; index < 23; index += 1)
      await follow(
        'carla',
        await threadOf(`Place ${index}`, ['ben', before(END, (index + 1) * MINUTE_ms)]),
        'daily',
        LONG_AGO,
      );
    await send();
    const [letter] = await mails();
    expect(letter?.subject).toBe('New replies in 23 threads you follow');
    expect(letter?.text.match(/new repl(?:y|ies)\n/gu)).toHaveLength(20);
    expect(letter?.text).toContain('“Place 0”');
    expect(letter?.text).not.toContain('“Place 20”');
    expect(letter?.text).toContain('and 3 more.');
  });

  test('finds those it is due to who are more than a page', async () => {
    const tea = await threadOf('Tea', ['anna', before(END, HOUR_ms)]);
    const many = Array.from({ length: 5 }, (_, index) => `m${index}`);
    for (const one of many) await follow(one, tea, 'daily', LONG_AGO);
    await readModelsAreUpToDate();
    const directory = createFollowDirectory(pool);
    const first = await directory.digestsDue(DAY, digestWindow(DAY), { after: null, limit: 3 });
    expect([
      ...first,
      ...(await directory.digestsDue(DAY, digestWindow(DAY), { after: first.at(-1) ?? null, limit: 3 })),
    ]).toEqual(many);
  });

  test('the thread it names is the one it is now', async () => {
    const tea = await threadOf('Tea', ['ben', before(END, HOUR_ms)]);
    await follow('carla', tea, 'daily', LONG_AGO);
    await happens(tea, {
      type: 'ThreadMoved',
      data: { threadId: tea, country: 'us', state: 'NY', city: 'New York City' },
    });
    await send();
    expect((await mails())[0]?.text).toContain(`${site}/community/us/ny/new-york-city/tea-`);
    expect((await commands.load(thread, tea)).state?.place.state).toBe('NY');
  });
});
