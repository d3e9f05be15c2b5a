/** Runs query-api with the live channel as a separate process. */
import {
  createFrontEndMetrics,
  createJobInspector,
  findLostReadModels,
  createLimitRecorder,
  openReadModelProgress,
  openBlobStore,
  openCore,
  openJobs,
  openLiveFeed,
  openReadPool,
  openRequestStorage,
  createReadGuard,
  createRequestGuards,
  runService,
  createVisibleInbox,
} from '@alpenglow/infra';
import { Router } from 'express';
import { createQueryApi, pageReadRoutes, registerQueryApiMetrics } from './index.ts';

await runService({
  name: 'query-api',
  requires: 'database',
  async start(context) {
    const { config, log, metrics, version } = context;
    const core = await openCore(context);
    const blobs = await openBlobStore(context);
    const feed = await openLiveFeed(context, core.store);
    const progress = openReadModelProgress(context, core.pool);
    await progress.waitUntilLive(await core.store.readHead(), context.stopping);
    const inspector = createJobInspector(await openJobs(context));
    context.onStop(() => inspector.close());
    const requests = await openRequestStorage(context, core.pool);
    const queries = createQueryApi({
      ...core,
      reads: openReadPool(context, core.pool),
      blobs,
      inspector,
      feed,
      progress,
      adminEmail: config.adminEmail,
      hiddenAdIds: config.hiddenAdIds,
      trustedProxies: config.trustedProxies,
      rateLimits: config.rateLimits,
      counters: requests.counters,
      sharedCounters: requests.sharedCounters,
      exposeCodes: config.exposeVerificationCodes,
      inbox: createVisibleInbox(config, core.pool),
      frontEndMetrics: createFrontEndMetrics(metrics),
      version,
      log,
    });
    context.onStop(() => queries.stop());
    const guards = createRequestGuards({ ...core, ...requests, log, recordLimited: createLimitRecorder(metrics, log) });
    registerQueryApiMetrics(metrics, { live: queries.live, pool: core.pool });
    return {
      handler: Router()
        .use('/api', guards, queries.api)
        .use('/uploads', createReadGuard(requests))
        .use(queries.site)
        .use('/internal/pages', pageReadRoutes(queries.pages)),
      upgrade: queries.live.upgrade,
      isReady: queries.isReady,
      findNotCurrent: () => findLostReadModels(core.pool),
      drain: () => queries.live.stop(),
    };
  },
});
