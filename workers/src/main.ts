/** The workers as a process of its own: photos, videos and mail. */
import {
  createAdDirectory,
  createEvidenceDirectory,
  createFollowDirectory,
  createMediaDirectory,
  createReadModelProgress,
  openBlobStore,
  openCore,
  openJobs,
  openKnownImages,
  openMail,
  openRequestMemory,
  runService,
  siteAddress,
  sweepIdentityChecks,
} from '@alpenglow/infra';
import { startWorkers } from './index.ts';
import { seedThroughOutages } from './seed-through-outages.ts';

await runService({
  name: 'workers',
  needs: 'database',
  async start(context) {
    const knownImages = await openKnownImages(context);
    const core = await openCore(context);
    const blobs = await openBlobStore(context);
    const backend = await openJobs(context);
    const mailing = await openMail(context, core.pool);
    const requests = await openRequestMemory(context, core.pool);
    const sweepExpired = () =>
      Promise.all([
        core.sessions.sweep(),
        mailing.sweepMails(),
        requests.sweep(),
        core.staffReads.sweep(),
        sweepIdentityChecks({ ...core, blobs }),
      ]);
    const progress = createReadModelProgress({
      pool: core.pool,
      connectionString: context.databaseUrl,
      limit_ms: context.config.waitPosition_ms,
    });
    context.onStop(() => progress.close());
    const { pool } = core;
    const workers = startWorkers({
      ...core,
      ...mailing,
      backend,
      blobs,
      knownImages,
      progress,
      directory: createMediaDirectory(pool),
      evidence: createEvidenceDirectory(pool),
      ads: createAdDirectory({ ...core, progress }),
      follows: createFollowDirectory(pool),
      site: siteAddress(context.config),
      sweepExpired,
      log: context.log,
    });
    context.onStop(() => workers.stop());
    const stopped = new AbortController();
    context.onStop(async () => stopped.abort());
    void seedThroughOutages({ ...core, blobs }, context.log, stopped.signal);
    return { isReady: core.isReady };
  },
});
