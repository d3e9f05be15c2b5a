import { setTimeout as pause } from 'node:timers/promises';
import { createJobQueue, createJobWorkers, continueErasures, runInOneProcess } from '@alpenglow/infra';
import { createAccountMailHandler } from './account-mail.ts';
import type { WorkerDependencies } from './dependencies.ts';
import { createDigestMailHandler } from './digest-mail.ts';
import { createErasureSteps } from './erasure/erasure-steps.ts';
import { rejectFailedMedia } from './reject-failed-media.ts';
import { removeLeftoverCopies } from './local-copy.ts';
import { createPhotoVariantsHandler } from './photo-variants-handler.ts';
import { publishArticles } from './publish-articles.ts';
import { createReplyMailHandler } from './reply-mail.ts';
import { resumeMails } from './resume-mails.ts';
import { resumeMedia } from './resume-media.ts';
import { enqueueDigestMails } from './enqueue-digest-mails.ts';
import { createSettleCaseHandler } from './settle-case.ts';
import { sweepMedia } from './sweep-media.ts';
import { createReportIntakeHandler } from './take-report-in.ts';
import { createThreadRepliesHandler } from './thread-replies.ts';
import { withRetryDuringOutages } from './retry-during-outages.ts';
import { createVideoProbeHandler } from './video-probe-handler.ts';

const SWEEP_EVERY_ms = 60 * 60_000;
const RESUME_EVERY_ms = 60_000;
const DIGESTS_EVERY_ms = 10 * 60_000;
/** Delay of the first run of a periodic task. After this time, the process has started and the read models exist. */
const FIRST_RUN_AFTER_ms = 60_000;
/** The interval between checks for scheduled articles, and therefore the maximum delay of their publication. */
const PUBLISH_EVERY_ms = 10_000;
const FIRST_PUBLISHING_AFTER_ms = 5_000;
/**
 * The interval between checks for requested erasures of personal data, and therefore the maximum delay of their start.
 */
const ERASE_EVERY_ms = 1_000;

/**
 * Starts the workers, which process jobs and run periodic tasks such as the publication of articles. `stop` waits at
 * most 7 s for running jobs.
 */
export function startWorkers(deps: WorkerDependencies): { stop(): Promise<void> } {
  const { backend, log } = deps;
  const jobs = createJobQueue(backend);
  const withJobs = { ...deps, jobs };
  const workers = createJobWorkers(backend, {
    handlers: {
      'photo-variants': withRetryDuringOutages(createPhotoVariantsHandler(deps), log),
      'video-probe': withRetryDuringOutages(createVideoProbeHandler(deps), log),
      'account-mail': withRetryDuringOutages(createAccountMailHandler(deps), log),
      'take-report-in': withRetryDuringOutages(createReportIntakeHandler(deps), log),
      'settle-case': withRetryDuringOutages(createSettleCaseHandler(deps), log),
      'thread-replies': withRetryDuringOutages(createThreadRepliesHandler(withJobs), log),
      'reply-mail': withRetryDuringOutages(createReplyMailHandler(withJobs), log),
      'digest-mail': withRetryDuringOutages(createDigestMailHandler(deps), log),
    },
    onPermanentFailure: {
      'photo-variants': ({ mediaId }) => rejectFailedMedia(deps, mediaId),
      'video-probe': ({ mediaId }) => rejectFailedMedia(deps, mediaId),
    },
    log,
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  void removeLeftoverCopies().catch((err: unknown) => log.warn({ err }, 'left-over copies could not be removed'));
  const periodicTasks: readonly PeriodicTask[] = [
    { name: 'sweep-media', every_ms: SWEEP_EVERY_ms, work: () => sweepMedia(deps, Date.now(), signal) },
    { name: 'sweep-expired', every_ms: SWEEP_EVERY_ms, work: deps.sweepExpired },
    { name: 'resume-media', every_ms: RESUME_EVERY_ms, work: () => resumeMedia(withJobs, Date.now(), signal) },
    { name: 'resume-mails', every_ms: RESUME_EVERY_ms, work: () => resumeMails(withJobs, Date.now(), signal) },
    { name: 'send-digests', every_ms: DIGESTS_EVERY_ms, work: () => enqueueDigestMails(withJobs, Date.now(), signal) },
    {
      name: 'erase-people',
      first_ms: ERASE_EVERY_ms,
      every_ms: ERASE_EVERY_ms,
      work: () => continueErasures(deps, createErasureSteps(deps), signal),
    },
    {
      name: 'publish-articles',
      first_ms: FIRST_PUBLISHING_AFTER_ms,
      every_ms: PUBLISH_EVERY_ms,
      work: () => publishArticles(deps, Date.now(), signal),
    },
  ];
  const tasks = periodicTasks.map((task) => runPeriodically(deps, task, signal));
  return {
    async stop() {
      stopping.abort();
      await Promise.all([...tasks, workers.close()]);
      await jobs.close();
    },
  };
}

interface PeriodicTask {
  readonly name: string;
  /** Delay of the first run after the start of the process. The default is one minute. */
  readonly first_ms?: number;
  readonly every_ms: number;
  readonly work: () => Promise<unknown>;
}

/**
 * Runs `work` periodically, in only one process of the cluster at a time, until `signal` aborts. A failure is logged,
 * and the next run repeats the work.
 */
async function runPeriodically(
  { pool, log }: WorkerDependencies,
  { name, first_ms = FIRST_RUN_AFTER_ms, every_ms, work }: PeriodicTask,
  signal: AbortSignal,
): Promise<void> {
  for (let wait_ms = first_ms; !signal.aborted; wait_ms = every_ms) {
    await pause(wait_ms, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    await runInOneProcess(pool, name, work, signal).catch((err: unknown) => {
      if (!signal.aborted) log.warn({ err, round: name }, 'periodic task failed, it will be repeated');
    });
  }
}
