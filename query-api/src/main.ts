/** Runs query-api with the live channel as a separate process. */
import {
  createJobInspector,
  findLostReadModels,
  namesOfFailingConsumers,
  createLimitRecorder,
  openReadModelProgress,
  openBlobStore,
  openCore,
  openJobs,
  openFailedRequests,
  openRequestStorage,
  createReadGuard,
  createRequestGuards,
  runService,
} from '@alpenglow/infra';
import { Router } from 'express';
import { openQueryApi, pageReadRoutes } from './index.ts';

const INTERNAL_PAGES = '/internal/pages';

await runService({
  name: 'query-api',
  requires: 'database',
  hasFairQueue: true,
  internalPath: INTERNAL_PAGES,
  async start(context) {
    const { log, metrics, failureSink } = context;
    const core = await openCore(context);
    const blobs = await openBlobStore(context);
    const progress = openReadModelProgress(context, core.pool);
    await progress.waitUntilLive(await core.store.readHead(), context.stopping);
    const inspector = createJobInspector(await openJobs(context));
    context.onStop(() => inspector.close());
    const requests = await openRequestStorage(context, core.pool);
    failureSink.record = openFailedRequests({ ...context, service: 'query-api' }, core.pool).record;
    const queries = await openQueryApi(context, { core, blobs, inspector, progress, requests });
    const guards = createRequestGuards({ ...core, ...requests, log, recordLimited: createLimitRecorder(metrics, log) });
    return {
      handler: Router()
        .use('/api', guards, queries.api)
        .use('/uploads', createReadGuard(requests))
        .use(queries.site)
        .use(INTERNAL_PAGES, pageReadRoutes(queries.pages)),
      upgrade: queries.live.upgrade,
      isReady: queries.isReady,
      findNotCurrent: () => findLostReadModels(core.pool),
      findFailing: () => namesOfFailingConsumers(core.pool),
      drain: () => queries.live.stop(),
    };
  },
});
