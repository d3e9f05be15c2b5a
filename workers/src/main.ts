/** Entry point of the workers service, which processes photos, videos, mails and reports. */
import { BASIC_STOCK_PICTURE_COUNT, STOCK_PICTURE_COUNT } from '@alpenglow/domain';
import {
  openBlobStore,
  openCore,
  openDecoder,
  openJobs,
  openHashList,
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
    const hashList = await openHashList(context);
    const core = await openCore(context);
    const blobs = await openBlobStore(context);
    const backend = await openJobs(context);
    const requests = await openRequestStorage(context, core.pool);
    const progress = openReadModelProgress(context, core.pool);
    await progress.waitUntilLive(await core.store.readHead(), context.stopping);
    const decoder = openDecoder(context);
    await openWorkers(context, { core, blobs, backend, decoder, hashList, progress, requests });
    const stopped = new AbortController();
    context.onStop(async () => stopped.abort());
    const count = context.config.isDemo ? STOCK_PICTURE_COUNT : BASIC_STOCK_PICTURE_COUNT;
    void seedStockPicturesWithRetry({ ...core, blobs }, count, context.log, stopped.signal);
    return { isReady: core.isReady };
  },
});
