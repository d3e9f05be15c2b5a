import type { JobHandler, JobKind } from '@alpenglow/domain';
import {
  addStoredDigests,
  createJobQueue,
  createJobWorkers,
  createRecordedJobQueue,
  createUnfinishedJobs,
  continueErasures,
  type BullJobQueue,
  type CommandHandler,
  type UnfinishedJobs,
} from '@alpenglow/infra';
import { createAccountMailHandler } from './account-mail.ts';
import { checkPictures } from './check-pictures.ts';
import { createCommandsWithoutPersonalData } from './commands-without-personal-data.ts';
import type { WorkerDependencies } from './dependencies.ts';
import { createDigestMailHandler } from './digest-mail.ts';
import { createErasureSteps } from './erasure/erasure-steps.ts';
import { rejectFailedMedia } from './reject-failed-media.ts';
import { removeLeftoverCopies } from './local-copy.ts';
import { createPhotoVariantsHandler } from './photo-variants-handler.ts';
import { endChangeRequests } from './end-change-requests.ts';
import { publishArticles } from './publish-articles.ts';
import { createMailOneFollowerHandler } from './mail-one-follower.ts';
import { createMailPageOfFollowersHandler } from './mail-page-of-followers.ts';
import { createRemovalHandler } from './removal.ts';
import { mailRemovalCopies } from './removal-copies.ts';
import { eraseRemovalData, warnAboutRemovals } from './removal-deadlines.ts';
import { resumeJobs, withRecordedEnd } from './resume-jobs.ts';
import { runPeriodically, type PeriodicTask } from './run-periodically.ts';
import { enqueueDigestMails } from './enqueue-digest-mails.ts';
import { alignAllMediaEvidence, alignMediaEvidence } from './seal-media.ts';
import { createSettleCaseHandler } from './settle-case.ts';
import { sweepMedia } from './sweep-media.ts';
import { createReportIntakeHandler } from './take-report-in.ts';
import { systemOrigin } from './system-origin.ts';
import { createThreadRepliesHandler } from './thread-replies.ts';
import { withRetryDuringOutages } from './retry-during-outages.ts';
import { createVideoProbeHandler } from './video-probe-handler.ts';

const SWEEP_EVERY_ms = 60 * 60_000;
const RESUME_EVERY_ms = 60_000;
/** The interval between checks whether a list of pictures has grown, and therefore the maximum delay. */
const CHECK_PICTURES_EVERY_ms = 2_000;
const DIGESTS_EVERY_ms = 10 * 60_000;
/** The interval between checks for requested changes whose time is over, and therefore the maximum delay. */
const END_CHANGE_REQUESTS_EVERY_ms = 60_000;
/** The interval between checks for removal requests that wait too long, i.e. the maximum delay of a warning. */
const WARN_EVERY_ms = 60_000;
/** The interval between mails with several copies of removal requests, i.e. the maximum delay of a copy. */
const MAIL_COPIES_EVERY_ms = 10 * 60_000;
const FIRST_WARNING_AFTER_ms = 5_000;
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
  const queue = createJobQueue(backend);
  const unfinishedJobs = createUnfinishedJobs(deps.pool);
  const jobs = createRecordedJobQueue(queue, unfinishedJobs);
  const withJobs = { ...deps, jobs };
  const settlement = {
    ...deps,
    alignEvidence: async (mediaId: string, signal: AbortSignal, commands: CommandHandler) => {
      const isAligned = await alignMediaEvidence({ ...deps, commands }, mediaId, signal);
      if (isAligned)
        await addStoredDigests({ ...deps, commands }, mediaId, systemOrigin('settle-case', mediaId), signal);
      return isAligned;
    },
    createCommandsWithoutPersonalData: () => createCommandsWithoutPersonalData(deps),
  };
  const run = <K extends JobKind>(kind: K, handle: JobHandler<K>): JobHandler<K> =>
    withRetryDuringOutages(withRecordedEnd(kind, handle, unfinishedJobs), log);
  const workers = createJobWorkers(backend, {
    handlers: {
      'photo-variants': run('photo-variants', createPhotoVariantsHandler(deps)),
      'video-probe': run('video-probe', createVideoProbeHandler(deps)),
      'account-mail': run('account-mail', createAccountMailHandler(deps)),
      'take-report-in': run('take-report-in', createReportIntakeHandler(deps)),
      'settle-case': run('settle-case', createSettleCaseHandler(settlement)),
      removal: run('removal', createRemovalHandler(settlement)),
      'thread-replies': run('thread-replies', createThreadRepliesHandler(withJobs)),
      'reply-mail': run('reply-mail', createMailOneFollowerHandler(withJobs)),
      'reply-mails': run('reply-mails', createMailPageOfFollowersHandler(withJobs)),
      'digest-mail': run('digest-mail', createDigestMailHandler(deps)),
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
  const tasks = runPeriodically(deps, createPeriodicTasks(deps, { queue, unfinishedJobs, jobs }, signal), signal);
  return {
    async stop() {
      stopping.abort();
      await Promise.all([tasks, workers.close()]);
      await queue.close();
    },
  };
}

interface JobQueues {
  readonly queue: BullJobQueue;
  readonly unfinishedJobs: UnfinishedJobs;
  /** The queue that records its jobs in `unfinishedJobs`. */
  readonly jobs: BullJobQueue;
}

/** Returns the periodic tasks of the workers. Their work rejects when `signal` aborts. */
export function createPeriodicTasks(
  deps: WorkerDependencies,
  { queue, unfinishedJobs, jobs }: JobQueues,
  signal: AbortSignal,
): readonly PeriodicTask[] {
  const { log } = deps;
  return [
    {
      name: 'sweep-media',
      readModels: ['media_items', 'ad_cards', 'articles', 'moderation_cases'],
      every_ms: SWEEP_EVERY_ms,
      work: () => sweepMedia(deps, Date.now(), signal),
    },
    {
      name: 'seal-media',
      readModels: ['moderation_cases'],
      every_ms: SWEEP_EVERY_ms,
      work: () => alignAllMediaEvidence(deps, signal),
    },
    {
      name: 'check-pictures',
      readModels: ['taken_down_pictures', 'media_items', 'ad_cards', 'articles', 'identity_pictures'],
      first_ms: CHECK_PICTURES_EVERY_ms,
      every_ms: CHECK_PICTURES_EVERY_ms,
      work: () => checkPictures(deps, Date.now(), signal),
    },
    {
      name: 'sweep-expired',
      readModels: ['identity_checks', 'accounts'],
      every_ms: SWEEP_EVERY_ms,
      work: () => deps.sweepExpired(signal),
    },
    {
      name: 'resume-jobs',
      readModels: [],
      every_ms: RESUME_EVERY_ms,
      work: () => resumeJobs({ unfinishedJobs, queue, log }, signal),
    },
    {
      name: 'send-digests',
      readModels: ['thread_follows', 'community_threads', 'community_posts'],
      every_ms: DIGESTS_EVERY_ms,
      work: () => enqueueDigestMails({ ...deps, jobs }, Date.now(), signal),
    },
    {
      name: 'erase-people',
      readModels: ['erasures', 'community_posts', 'articles'],
      first_ms: ERASE_EVERY_ms,
      every_ms: ERASE_EVERY_ms,
      work: () => continueErasures(deps, createErasureSteps(deps), signal),
    },
    {
      name: 'end-change-requests',
      readModels: ['decisions', 'moderation_cases', 'ad_cards'],
      every_ms: END_CHANGE_REQUESTS_EVERY_ms,
      work: () => endChangeRequests(deps, Date.now(), signal),
    },
    {
      name: 'warn-about-removals',
      readModels: ['removal_requests'],
      first_ms: FIRST_WARNING_AFTER_ms,
      every_ms: WARN_EVERY_ms,
      work: () => warnAboutRemovals(deps, Date.now(), signal),
    },
    {
      name: 'mail-removal-copies',
      readModels: ['removal_requests'],
      every_ms: MAIL_COPIES_EVERY_ms,
      work: () => mailRemovalCopies(deps, Date.now(), signal),
    },
    {
      name: 'erase-removal-data',
      readModels: ['removal_requests'],
      every_ms: SWEEP_EVERY_ms,
      work: () => eraseRemovalData(deps, Date.now(), signal),
    },
    {
      name: 'publish-articles',
      readModels: ['articles'],
      first_ms: FIRST_PUBLISHING_AFTER_ms,
      every_ms: PUBLISH_EVERY_ms,
      work: () => publishArticles(deps, Date.now(), signal),
    },
  ];
}
