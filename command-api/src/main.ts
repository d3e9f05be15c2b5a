/** Runs command-api as a separate process. */
import {
  createJobInspector,
  openReadModelProgress,
  openBlobStore,
  openCore,
  openDecoder,
  openJobs,
  openFailedRequests,
  openRequestStorage,
  createLimitRecorder,
  createRequestGuards,
  findLostReadModels,
  namesOfFailingConsumers,
  runService,
} from '@alpenglow/infra';
import { Router } from 'express';
import { openCommandApi } from './index.ts';

await runService({
  name: 'command-api',
  requires: 'database',
  hasFairQueue: true,
  async start(context) {
    const { log, metrics, stopping, failureSink } = context;
    const core = await openCore(context);
    const blobs = await openBlobStore(context);
    const progress = openReadModelProgress(context, core.pool);
    await progress.waitUntilLive(await core.store.readHead(), stopping);
    const inspector = createJobInspector(await openJobs(context));
    context.onStop(() => inspector.close());
    const requests = await openRequestStorage(context, core.pool);
    failureSink.record = openFailedRequests({ ...context, service: 'command-api' }, core.pool).record;
    const services = { core, blobs, decoder: openDecoder(context), inspector, progress, requests };
    const api = openCommandApi(context, services, { stopping });
    const guards = createRequestGuards({ ...core, ...requests, log, recordLimited: createLimitRecorder(metrics, log) });
    return {
      handler: Router().use('/api', guards, api),
      isReady: core.isReady,
      findNotCurrent: () => findLostReadModels(core.pool),
      findFailing: () => namesOfFailingConsumers(core.pool),
    };
  },
});
