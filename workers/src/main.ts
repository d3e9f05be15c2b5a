/** Entry point of the workers service, which processes photos, videos, mails and reports. */
import {
  openBlobStore,
  openCore,
  openJobs,
  openKnownImages,
  openReadModelProgress,
  openRequestStorage,
  runService,
} from '@alpenglow/infra';
import { openWorkers } from './open-workers.ts';
import { seedStockPicturesWithRetry } from './seed-stock-pictures-with-retry.ts';

await runService({
  name: 'workers',
  requires: 'database',
  async start(context) {
    const knownImages = await openKnownImages(context);
    const core = await openCore(context);
    const blobs = await openBlobStore(context);
    const backend = await openJobs(context);
    const requests = await openRequestStorage(context, core.pool);
    const progress = openReadModelProgress(context, core.pool);
    await openWorkers(context, { core, blobs, backend, knownImages, progress, requests });
    const stopped = new AbortController();
    context.onStop(async () => stopped.abort());
    void seedStockPicturesWithRetry({ ...core, blobs }, context.log, stopped.signal);
    return { isReady: core.isReady };
  },
});
