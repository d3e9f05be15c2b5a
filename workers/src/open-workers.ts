import type { BlobStore, KnownImageChecker } from '@alpenglow/domain';
import {
  createAdDirectory,
  createEvidenceDirectory,
  createFollowDirectory,
  createMediaDirectory,
  getSiteUrl,
  openMail,
  createReportHistoryStore,
  type BackingServiceContext,
  type Core,
  type Decoder,
  type JobBackend,
  type ReadModelProgress,
  type RequestStorage,
} from '@alpenglow/infra';
import { attemptParts } from './attempt-each.ts';
import { sealEvidence } from './seal-evidence.ts';
import { startWorkers } from './start-workers.ts';
import { sweepIdentityChecks } from './sweep-identity-checks.ts';

/** Connections to the backing services that the workers use. */
export interface WorkerServices {
  readonly core: Core;
  readonly blobs: BlobStore;
  readonly backend: JobBackend;
  readonly decoder: Decoder;
  readonly knownImages: KnownImageChecker;
  readonly progress: ReadModelProgress;
  readonly requests: RequestStorage;
}

/** Starts the workers, which process background jobs. They stop when the service stops. */
export async function openWorkers(
  context: BackingServiceContext,
  { core, blobs, backend, decoder, knownImages, progress, requests }: WorkerServices,
): Promise<void> {
  const { pool } = core;
  const { log } = context;
  const mailing = await openMail(context, pool);
  const workers = startWorkers({
    ...core,
    ...mailing,
    backend,
    blobs,
    decoder,
    knownImages,
    progress,
    mediaDirectory: createMediaDirectory(pool),
    evidence: createEvidenceDirectory(pool),
    ads: createAdDirectory({ ...core, progress }),
    follows: createFollowDirectory(pool),
    site: getSiteUrl(context.config),
    sweepExpired: (signal) =>
      attemptParts(
        {
          sessions: () => core.sessions.sweep(),
          mails: () => mailing.sweepMails(),
          requests: () => requests.sweep(),
          'staff-reads': () => core.staffReads.sweep(),
          'report-history': () => createReportHistoryStore(pool).sweep(),
          'identity-checks': () => sweepIdentityChecks({ ...core, blobs, log }, signal),
          evidence: () => sealEvidence({ ...core, blobs, log }, signal),
        },
        { task: 'sweep-expired', log, signal },
      ),
    log,
  });
  context.onStop(() => workers.stop());
}
