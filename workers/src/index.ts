import { setTimeout as pause } from 'node:timers/promises';
import type { BlobStore, MailSender, VerificationCodeOf } from '@alpenglow/domain';
import { createJobQueue, createJobWorkers, unlessDoneElsewhere, type CommandHandler, type DueMails, type JobBackend, type Logger, type MediaDirectory, type Pool } from '@alpenglow/infra';
import { accountMailJob } from './account-mail.ts';
import { giveUpMedia } from './give-up-media.ts';
import { clearLeftCopies } from './local-copy.ts';
import { photoVariantsJob } from './photo-variants.ts';
import { resumeMails } from './resume-mails.ts';
import { resumeMedia } from './resume-media.ts';
import { sweepMedia } from './sweep-media.ts';
import { throughOutages } from './through-outages.ts';
import { videoProbeJob } from './video-probe.ts';

export { seedHousePictures } from './seed-house-pictures.ts';

export interface WorkerDependencies {
  readonly backend: JobBackend;
  readonly pool: Pool;
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
  readonly directory: MediaDirectory;
  readonly mail: MailSender;
  readonly dueMails: DueMails;
  readonly codeOf: VerificationCodeOf;
  /** Removes what has expired: sessions, and what is known of mails. */
  readonly sweepExpired: () => Promise<unknown>;
  readonly log: Logger;
}

const SWEEP_EVERY_ms = 60 * 60_000;
const RESUME_EVERY_ms = 60_000;
/** By then the start is over, and the read models are there. */
const FIRST_ROUND_AFTER_ms = 60_000;

/** Starts doing jobs, looking after photos and videos, and removing what has expired. `stop` waits for jobs under way, at most 7 s. */
export function startWorkers(deps: WorkerDependencies): { stop(): Promise<void> } {
  const { backend, log } = deps;
  const workers = createJobWorkers(backend, {
    handlers: {
      'photo-variants': throughOutages(photoVariantsJob(deps), log),
      'video-probe': throughOutages(videoProbeJob(deps), log),
      'account-mail': throughOutages(accountMailJob(deps), log),
    },
    onFailedForGood: { 'photo-variants': ({ mediaId }) => giveUpMedia(deps, mediaId), 'video-probe': ({ mediaId }) => giveUpMedia(deps, mediaId) },
    log,
  });
  const jobs = createJobQueue(backend);
  const stopping = new AbortController();
  const { signal } = stopping;
  void clearLeftCopies().catch((err: unknown) => log.warn({ err }, 'left-over copies could not be removed'));
  const rounds = [
    goRound(deps, { name: 'sweep-media', every_ms: SWEEP_EVERY_ms, work: () => sweepMedia(deps, Date.now(), signal) }, signal),
    goRound(deps, { name: 'sweep-expired', every_ms: SWEEP_EVERY_ms, work: deps.sweepExpired }, signal),
    goRound(deps, { name: 'resume-media', every_ms: RESUME_EVERY_ms, work: () => resumeMedia({ ...deps, jobs }, Date.now(), signal) }, signal),
    goRound(deps, { name: 'resume-mails', every_ms: RESUME_EVERY_ms, work: () => resumeMails({ ...deps, jobs }, Date.now(), signal) }, signal),
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
  readonly every_ms: number;
  readonly work: () => Promise<unknown>;
}

/** Does `work` now and again, in one process at a time, until `signal` aborts. What fails is left for the next round. */
async function goRound({ pool, log }: WorkerDependencies, { name, every_ms, work }: Round, signal: AbortSignal): Promise<void> {
  for (let wait_ms = FIRST_ROUND_AFTER_ms; !signal.aborted; wait_ms = every_ms) {
    await pause(wait_ms, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    await unlessDoneElsewhere(pool, name, work, signal).catch((err: unknown) => {
      if (!signal.aborted) log.warn({ err, round: name }, 'not done this time');
    });
  }
}
