/** Runs query-api with the live channel as a separate process. */
import path from 'node:path';
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

const INTERNAL_PAGES = '/internal/pages';

await runService({
  name: 'query-api',
  requires: 'database',
  hasFairQueue: true,
  internalPath: INTERNAL_PAGES,
  async start(context) {
    const { config, rootDir, log, metrics, version } = context;
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
      siteUrl: config.siteUrl,
      mfDir: path.resolve(rootDir, config.mfDir),
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
        .use(INTERNAL_PAGES, pageReadRoutes(queries.pages)),
      upgrade: queries.live.upgrade,
      isReady: queries.isReady,
      findNotCurrent: () => findLostReadModels(core.pool),
      drain: () => queries.live.stop(),
    };
  },
});
