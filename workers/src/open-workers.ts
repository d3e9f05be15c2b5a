import type { BlobStore, KnownImageChecker } from '@alpenglow/domain';
import {
  createAdDirectory,
  createEvidenceDirectory,
  createFollowDirectory,
  createMediaDirectory,
  getSiteUrl,
  openMail,
  sweepIdentityChecks,
  type BackingServiceContext,
  type Core,
  type JobBackend,
  type ReadModelProgress,
  type RequestStorage,
} from '@alpenglow/infra';
import { startWorkers } from './start-workers.ts';

/** Connections to the backing services that the workers use. */
export interface WorkerServices {
  readonly core: Core;
  readonly blobs: BlobStore;
  readonly backend: JobBackend;
  readonly knownImages: KnownImageChecker;
  readonly progress: ReadModelProgress;
  readonly requests: RequestStorage;
}

/** Starts the workers, which process background jobs. They stop when the service stops. */
export async function openWorkers(
  context: BackingServiceContext,
  { core, blobs, backend, knownImages, progress, requests }: WorkerServices,
): Promise<void> {
  const { pool } = core;
  const mailing = await openMail(context, pool);
  const workers = startWorkers({
    ...core,
    ...mailing,
    backend,
    blobs,
    knownImages,
    progress,
    mediaDirectory: createMediaDirectory(pool),
    evidence: createEvidenceDirectory(pool),
    ads: createAdDirectory({ ...core, progress }),
    follows: createFollowDirectory(pool),
    site: getSiteUrl(context.config),
    sweepExpired: () =>
      Promise.all([
        core.sessions.sweep(),
        mailing.sweepMails(),
        requests.sweep(),
        core.staffReads.sweep(),
        sweepIdentityChecks({ ...core, blobs }),
      ]),
    log: context.log,
  });
  context.onStop(() => workers.stop());
}
