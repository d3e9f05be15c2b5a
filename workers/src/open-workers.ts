import type { BlobStore } from '@alpenglow/domain';
import {
  createAdDirectory,
  createEvidenceDirectory,
  createFollowDirectory,
  createMediaDirectory,
  createPictureChecks,
  createPictureCopies,
  getSiteUrl,
  haveOtherReaders,
  openMail,
  createReportHistoryStore,
  READ_MODELS,
  registerCertificateMetrics,
  tlsEndpoints,
  type BackingServiceContext,
  type Core,
  type Decoder,
  type ImageHashList,
  type JobBackend,
  type Metrics,
  type ReadModelProgress,
  type RequestStorage,
} from '@alpenglow/infra';
import { attemptParts } from './attempt-each.ts';
import { createPictureChecker } from './picture-checker.ts';
import { sealEvidence } from './seal-evidence.ts';
import { startWorkers } from './start-workers.ts';
import { sweepIdentityChecks } from './sweep-identity-checks.ts';

/** Connections to the backing services that the workers use. */
export interface WorkerServices {
  readonly core: Core;
  readonly blobs: BlobStore;
  readonly backend: JobBackend;
  readonly decoder: Decoder;
  /** The operator's list of known illegal images. */
  readonly hashList: ImageHashList;
  readonly progress: ReadModelProgress;
  readonly requests: RequestStorage;
}

/**
 * Starts the workers, which process background jobs. They stop when the service stops. They also measure for how long
 * certificates remain valid, because only the workers may open connections to addresses outside of a cluster.
 */
export async function openWorkers(
  context: BackingServiceContext & { readonly metrics: Metrics },
  { core, blobs, backend, decoder, hashList, progress, requests }: WorkerServices,
): Promise<void> {
  const { pool } = core;
  const { config, log } = context;
  const mailing = await openMail(context, pool);
  registerCertificateMetrics(context.metrics, tlsEndpoints(config));
  const copies = createPictureCopies(pool);
  const ads = createAdDirectory({ ...core, progress });
  const workers = startWorkers({
    ...core,
    ...mailing,
    backend,
    blobs,
    decoder,
    hashList,
    copies,
    knownImages: createPictureChecker({
      ...core,
      ads,
      copies,
      hashList,
      progress,
      actions: { hashList: config.imageHashListAction, takenDown: config.takenDownAction },
    }),
    pictureChecks: createPictureChecks(pool),
    haveOtherReaders: () => haveOtherReaders(pool, READ_MODELS),
    progress,
    mediaDirectory: createMediaDirectory(pool),
    evidence: createEvidenceDirectory(pool),
    ads,
    follows: createFollowDirectory(pool),
    operatorEmail: config.adminEmail,
    site: getSiteUrl(config),
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
