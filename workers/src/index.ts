import type { BlobStore, MailSender, VerificationCodeOf } from '@alpenglow/domain';
import { createJobWorkers, type CommandHandler, type JobBackend, type Logger } from '@alpenglow/infra';
import { photoVariantsJob } from './photo-variants.ts';
import { sweepOriginals } from './sweep-originals.ts';
import { verificationMailJob } from './verification-mail.ts';

export { housePicture } from './house-pictures.ts';

export interface WorkerDependencies {
  readonly backend: JobBackend;
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
  readonly mail: MailSender;
  readonly codeOf: VerificationCodeOf;
  readonly log: Logger;
}

const SWEEP_EVERY_ms = 60 * 60_000;

/** Starts doing jobs. `stop` waits for those under way, at most 8 s. */
export function startWorkers(deps: WorkerDependencies): { stop(): Promise<void> } {
  const { backend, log } = deps;
  const workers = createJobWorkers(backend, {
    handlers: { 'photo-variants': photoVariantsJob(deps), 'verification-mail': verificationMailJob(deps) },
    log,
  });
  const sweep = () => {
    sweepOriginals(deps, Date.now()).catch((err: unknown) => log.warn({ err }, 'left-over originals could not be removed'));
  };
  sweep();
  const sweeping = setInterval(sweep, SWEEP_EVERY_ms);
  sweeping.unref();
  return {
    async stop() {
      clearInterval(sweeping);
      await workers.close();
    },
  };
}
