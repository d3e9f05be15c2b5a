import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createJobQueue,
  createJobWorkers,
  createRecordedJobQueue,
  createUnfinishedJobs,
  migrate,
  migrateJobs,
  openJobBackend,
} from '@alpenglow/infra';
import { createMailOneFollowerHandler } from '../workers/src/mail-one-follower.ts';
import { createMailPageOfFollowersHandler } from '../workers/src/mail-page-of-followers.ts';
import { replyMailId } from '../workers/src/compose-reply-mail.ts';
import { withRecordedEnd } from '../workers/src/resume-jobs.ts';
import { createThreadRepliesHandler } from '../workers/src/thread-replies.ts';
import { IDLE_HANDLERS } from '../tests/support/job-system.ts';
import { openThreadMails, type ThreadMails } from '../tests/support/thread-mails.ts';
import type { BenchArguments } from './arguments.mjs';
import { createFigures, printFigures } from './figures.ts';
import { percentile } from './statistics.ts';
import { withTemporaryPostgres } from './temporary-postgres.ts';

const FOLLOWERS = 100_000;
/** The number of mails that are sent with one job each, for comparison. */
const SEPARATE = 2_000;
const AUTHOR = 'author';
const CODE_EVERY_ms = 500;
const POLL_ms = 50;

/**
 * Measures the mails about a reply in a thread with 100,000 followers, or with the number in the first argument: the
 * processor time of the workers, and the delay of mails with codes meanwhile. The mails are passed to a transport that
 * accepts them at once. Sets the exit code 1 if the processor time is one minute or more.
 */
export async function bench(root: string, { others: [count] }: BenchArguments): Promise<void> {
  const followers = count === undefined ? FOLLOWERS : Number(count);
  const figures = createFigures();
  await withTemporaryPostgres({}, async (connectionString) => {
    await migrate(connectionString, { migrationsDir: path.join(root, 'infra/migrations') });
    await migrateJobs(connectionString);
    let sent = 0;
    const transport = {
      sendTimeout_ms: 30_000,
      detectsDuplicates: false,
      send: async () => {
        sent += 1;
        return { serverResponse: null };
      },
      close: () => Promise.resolve(),
    };
    const system = await openThreadMails(() => transport, {
      existing: { connectionString, drop: () => Promise.resolve() },
    });
    const accountIds = Array.from({ length: followers }, () => randomUUID());
    const { id: threadId } = await system.threads.start({ accountId: AUTHOR, title: 'Tea' });
    process.stderr.write(`Signing up ${followers} followers\n`);
    await system.signUp(accountIds);
    await system.follow(accountIds, threadId);
    await system.threads.reply(threadId, 1, [{ accountId: AUTHOR, body: 'Grass' }]);
    await waitForFollows(system);

    const workers = await startWorkers(system);
    try {
      process.stderr.write('Mailing them\n');
      const codes = measureCodes(workers.enqueueCode);
      const before = process.cpuUsage();
      const startedAt_ms = performance.now();
      await workers.queue.enqueue('thread-replies', { threadId, number: 1 }, { jobId: 'large' });
      let unfinished = 0;
      while (sent - codes.count() < followers) {
        await pause(POLL_ms);
        unfinished = Math.max(unfinished, await workers.countUnfinished());
      }
      const elapsed_s = (performance.now() - startedAt_ms) / 1_000;
      const used_s = seconds(process.cpuUsage(before));
      const delays_ms = await codes.stop();
      figures.atMost(`processor time of the workers, a reply to ${followers} followers`, used_s, 's', 60);
      figures.report('elapsed time', elapsed_s, 's');
      figures.report('mails', followers / elapsed_s, 'per s');
      figures.atMost('unfinished jobs at a time', unfinished, 'jobs', 10);
      figures.report('delay of a mail with a code meanwhile, p50', percentile(delays_ms, 50), 'ms');
      figures.report('delay of a mail with a code meanwhile, p99', percentile(delays_ms, 99), 'ms');

      const { id: other } = await system.threads.start({ accountId: AUTHOR, title: 'Coffee' });
      const some = accountIds.slice(0, SEPARATE);
      await system.follow(some, other);
      await system.threads.reply(other, 1, [{ accountId: AUTHOR, body: 'Beans' }]);
      const goal = sent + some.length;
      const beforeSeparate = process.cpuUsage();
      for (const accountId of some)
        await workers.queue.enqueue(
          'reply-mail',
          { accountId, threadId: other, number: 1 },
          { jobId: replyMailId(accountId, other, 1) },
        );
      while (sent < goal) await pause(POLL_ms);
      const separate_ms = (seconds(process.cpuUsage(beforeSeparate)) * 1_000) / some.length;
      figures.report('processor time of a mail', (used_s * 1_000) / followers, 'ms');
      figures.report('processor time of a mail with its own job', separate_ms, 'ms');
    } finally {
      await workers.close();
      await system.close();
    }
  });
  printFigures(figures.all);
  if (figures.all.some(({ met }) => met === false)) process.exitCode = 1;
}

/** Waits until the read model contains all follows. */
async function waitForFollows({ store, deps }: ThreadMails): Promise<void> {
  const head = await store.readHead();
  while (!(await deps.progress.waitFor('thread_follows', head))) await pause(POLL_ms);
}

async function startWorkers({ connectionString, pool, deps }: ThreadMails) {
  const backend = await openJobBackend({ connectionString });
  const queue = createJobQueue(backend);
  const unfinishedJobs = createUnfinishedJobs(pool);
  const recorded = createRecordedJobQueue(queue, unfinishedJobs);
  const withJobs = { ...deps, jobs: recorded };
  /** Called when the mail with the code of this id is sent. */
  const onCode = new Map<string, () => void>();
  const workers = createJobWorkers(backend, {
    handlers: {
      ...IDLE_HANDLERS,
      'thread-replies': withRecordedEnd('thread-replies', createThreadRepliesHandler(withJobs), unfinishedJobs),
      'reply-mail': withRecordedEnd('reply-mail', createMailOneFollowerHandler(withJobs), unfinishedJobs),
      'reply-mails': withRecordedEnd('reply-mails', createMailPageOfFollowersHandler(withJobs), unfinishedJobs),
      'account-mail': withRecordedEnd(
        'account-mail',
        async ({ issuanceId: id }) => {
          await deps.mail.send({ id, to: 'c@example.com', subject: 'Code', text: '1', unsubscribeUrl: null });
          onCode.get(id)?.();
        },
        unfinishedJobs,
      ),
    },
    log: deps.log,
  });
  return {
    queue: recorded,
    /** Enqueues a mail with a code. Resolves when it is sent. */
    async enqueueCode(): Promise<void> {
      const issuanceId = randomUUID();
      const isSent = new Promise<void>((resolve) => onCode.set(issuanceId, resolve));
      const expiresAt = '2100-01-01T00:00:00.000Z';
      await recorded.enqueue(
        'account-mail',
        { about: 'login-code', accountId: 'c', issuanceId, expiresAt },
        { jobId: issuanceId },
      );
      await isSent;
    },
    countUnfinished: async () => (await pool.query('select from jobs.unfinished')).rowCount ?? 0,
    async close() {
      await workers.close();
      await queue.close();
      await backend.close();
    },
  };
}

/** Enqueues a mail with a code twice a second, and measures the time until it is sent. */
function measureCodes(enqueueCode: () => Promise<void>) {
  const stopped = new AbortController();
  const delays_ms: number[] = [];
  const running = (async () => {
    while (!stopped.signal.aborted) {
      const startedAt_ms = performance.now();
      await enqueueCode();
      delays_ms.push(performance.now() - startedAt_ms);
      await pause(CODE_EVERY_ms, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();
  return {
    count: () => delays_ms.length,
    async stop(): Promise<readonly number[]> {
      stopped.abort();
      await running;
      return delays_ms;
    },
  };
}

const seconds = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1e6;
