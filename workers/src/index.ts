import type { BlobStore, MailSender, VerificationCodeOf } from '@alpenglow/domain';
import { createJobWorkers, type CommandHandler, type JobBackend, type Logger, type PhotoDirectory } from '@alpenglow/infra';
import { giveUpPhoto } from './give-up-photo.ts';
import { photoVariantsJob } from './photo-variants.ts';
import { sweepPhotos } from './sweep-photos.ts';
import { verificationMailJob } from './verification-mail.ts';

export { housePicture } from './house-pictures.ts';

export interface WorkerDependencies {
  readonly backend: JobBackend;
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
  readonly photos: PhotoDirectory;
  readonly mail: MailSender;
  readonly codeOf: VerificationCodeOf;
  readonly log: Logger;
}

const SWEEP_EVERY_ms = 60 * 60_000;
/** By then the start is over, and the read models are there. */
const FIRST_SWEEP_AFTER_ms = 60_000;

/** Starts doing jobs. `stop` waits for those under way, at most 8 s. */
export function startWorkers(deps: WorkerDependencies): { stop(): Promise<void> } {
  const { backend, log } = deps;
  const workers = createJobWorkers(backend, {
    handlers: { 'photo-variants': photoVariantsJob(deps), 'verification-mail': verificationMailJob(deps) },
    onFailedForGood: { 'photo-variants': ({ mediaId }) => giveUpPhoto(deps, mediaId) },
    log,
  });
  const sweep = () => {
    sweepPhotos(deps, Date.now()).catch((err: unknown) => log.warn({ err }, 'photos nobody needs could not be removed'));
  };
  const sweepings = [setTimeout(sweep, FIRST_SWEEP_AFTER_ms), setInterval(sweep, SWEEP_EVERY_ms)];
  for (const sweeping of sweepings) sweeping.unref();
  return {
    async stop() {
      for (const sweeping of sweepings) clearInterval(sweeping);
      await workers.close();
    },
  };
}
