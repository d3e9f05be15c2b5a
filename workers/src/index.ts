import { setTimeout as pause } from 'node:timers/promises';
import type { BlobStore, EventStore, KnownImages, MailSender, VerificationCodeOf } from '@alpenglow/domain';
import {
  createJobQueue,
  createJobWorkers,
  goOnWithErasures,
  unlessDoneElsewhere,
  type AdDirectory,
  type AccountKeys,
  type CommandHandler,
  type DueMails,
  type EvidenceDirectory,
  type FollowDirectory,
  type JobBackend,
  type Logger,
  type MediaDirectory,
  type Pool,
  type ReadModelProgress,
  type Sessions,
  type StatementTokens,
  type ToldReplies,
  type UnsubscribeTokens,
} from '@alpenglow/infra';
import { accountMailJob } from './account-mail.ts';
import { digestMailJob } from './digest-mail.ts';
import { erasureSteps } from './erasure/erasure-steps.ts';
import { giveUpMedia } from './give-up-media.ts';
import { clearLeftCopies } from './local-copy.ts';
import { photoVariantsJob } from './photo-variants.ts';
import { publishArticles } from './publish-articles.ts';
import { replyMailJob } from './reply-mail.ts';
import { resumeMails } from './resume-mails.ts';
import { resumeMedia } from './resume-media.ts';
import { sendDigests } from './send-digests.ts';
import { settleCaseJob } from './settle-case.ts';
import { sweepMedia } from './sweep-media.ts';
import { takeReportInJob } from './take-report-in.ts';
import { threadRepliesJob } from './thread-replies.ts';
import { throughOutages } from './through-outages.ts';
import { videoProbeJob } from './video-probe.ts';

export { seedHousePictures } from './seed-house-pictures.ts';

export interface WorkerDependencies {
  readonly backend: JobBackend;
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
  readonly knownImages: KnownImages;
  readonly sessions: Sessions;
  readonly store: Pick<EventStore, 'head' | 'readStream'>;
  /** The events as they are kept: personal data sealed. */
  readonly sealedStore: EventStore;
  readonly dataKeys: AccountKeys;
  readonly accountIdOf: (email: string) => string;
  readonly progress: Pick<ReadModelProgress, 'waitFor'>;
  readonly directory: MediaDirectory;
  readonly ads: AdDirectory;
  readonly evidence: EvidenceDirectory;
  readonly follows: FollowDirectory;
  readonly mail: MailSender;
  readonly dueMails: DueMails;
  readonly toldReplies: ToldReplies;
  readonly codeOf: VerificationCodeOf;
  readonly unsubscribeTokens: UnsubscribeTokens;
  readonly statementTokens: StatementTokens;
  /** The site's address, for links in mails; without a slash at its end. */
  readonly site: string;
  /** Removes what has expired: sessions, and what is known of mails. */
  readonly sweepExpired: () => Promise<unknown>;
  readonly log: Logger;
}

const SWEEP_EVERY_ms = 60 * 60_000;
const RESUME_EVERY_ms = 60_000;
const DIGESTS_EVERY_ms = 10 * 60_000;
/** By then the start is over, and the read models are there. */
const FIRST_ROUND_AFTER_ms = 60_000;
/** Nobody waits longer than this for an article whose time has come. */
const PUBLISH_EVERY_ms = 10_000;
const FIRST_PUBLISHING_AFTER_ms = 5_000;
/** Whoever asks to be erased is gone from the site within this time. */
const ERASE_EVERY_ms = 1_000;

/** Starts doing jobs, looking after photos and videos, publishing articles whose time has come, and removing what has expired. `stop` waits for jobs under way, at most 7 s. */
export function startWorkers(deps: WorkerDependencies): { stop(): Promise<void> } {
  const { backend, log } = deps;
  const jobs = createJobQueue(backend);
  const workers = createJobWorkers(backend, {
    handlers: {
      'photo-variants': throughOutages(photoVariantsJob(deps), log),
      'video-probe': throughOutages(videoProbeJob(deps), log),
      'account-mail': throughOutages(accountMailJob(deps), log),
      'take-report-in': throughOutages(takeReportInJob(deps), log),
      'settle-case': throughOutages(settleCaseJob(deps), log),
      'thread-replies': throughOutages(threadRepliesJob({ ...deps, jobs }), log),
      'reply-mail': throughOutages(replyMailJob({ ...deps, jobs }), log),
      'digest-mail': throughOutages(digestMailJob(deps), log),
    },
    onFailedForGood: {
      'photo-variants': ({ mediaId }) => giveUpMedia(deps, mediaId),
      'video-probe': ({ mediaId }) => giveUpMedia(deps, mediaId),
    },
    log,
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  void clearLeftCopies().catch((err: unknown) => log.warn({ err }, 'left-over copies could not be removed'));
  const rounds = [
    goRound(
      deps,
      { name: 'sweep-media', every_ms: SWEEP_EVERY_ms, work: () => sweepMedia(deps, Date.now(), signal) },
      signal,
    ),
    goRound(deps, { name: 'sweep-expired', every_ms: SWEEP_EVERY_ms, work: deps.sweepExpired }, signal),
    goRound(
      deps,
      {
        name: 'resume-media',
        every_ms: RESUME_EVERY_ms,
        work: () => resumeMedia({ ...deps, jobs }, Date.now(), signal),
      },
      signal,
    ),
    goRound(
      deps,
      {
        name: 'resume-mails',
        every_ms: RESUME_EVERY_ms,
        work: () => resumeMails({ ...deps, jobs }, Date.now(), signal),
      },
      signal,
    ),
    goRound(
      deps,
      {
        name: 'send-digests',
        every_ms: DIGESTS_EVERY_ms,
        work: () => sendDigests({ ...deps, jobs }, Date.now(), signal),
      },
      signal,
    ),
    goRound(
      deps,
      {
        name: 'erase-people',
        first_ms: ERASE_EVERY_ms,
        every_ms: ERASE_EVERY_ms,
        work: () => goOnWithErasures(deps, erasureSteps(deps), signal),
      },
      signal,
    ),
    goRound(
      deps,
      {
        name: 'publish-articles',
        first_ms: FIRST_PUBLISHING_AFTER_ms,
        every_ms: PUBLISH_EVERY_ms,
        work: () => publishArticles(deps, Date.now(), signal),
      },
      signal,
    ),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all([...rounds, workers.close()]);
      await jobs.close();
    },
  };
}

interface Round {
  readonly name: string;
  /** How long after the start the first one begins; a minute unless told. */
  readonly first_ms?: number;
  readonly every_ms: number;
  readonly work: () => Promise<unknown>;
}

/** Does `work` now and again, in one process at a time, until `signal` aborts. What fails is left for the next round. */
async function goRound(
  { pool, log }: WorkerDependencies,
  { name, first_ms = FIRST_ROUND_AFTER_ms, every_ms, work }: Round,
  signal: AbortSignal,
): Promise<void> {
  for (let wait_ms = first_ms; !signal.aborted; wait_ms = every_ms) {
    await pause(wait_ms, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    await unlessDoneElsewhere(pool, name, work, signal).catch((err: unknown) => {
      if (!signal.aborted) log.warn({ err, round: name }, 'not done this time');
    });
  }
}
