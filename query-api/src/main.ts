/** Runs query-api with the live channel as a separate process. */
import {
  createJobInspector,
  openReadModelProgress,
  registerGauge,
  openBlobStore,
  openCore,
  openJobs,
  openLiveFeed,
  openRequestStorage,
  createRequestGuards,
  runService,
  createVisibleInbox,
} from '@alpenglow/infra';
import { Router } from 'express';
import { createQueryApi, pageReadRoutes } from './index.ts';

await runService({
  name: 'query-api',
  requires: 'database',
  async start(context) {
    const { config, log, metrics, version } = context;
    const core = await openCore(context);
    const blobs = await openBlobStore(context);
    const feed = await openLiveFeed(context, core.store);
    const progress = openReadModelProgress(context, core.pool);
    const inspector = createJobInspector(await openJobs(context));
    context.onStop(() => inspector.close());
    const queries = createQueryApi({
      ...core,
      blobs,
      inspector,
      feed,
      progress,
      adminEmail: config.adminEmail,
      hiddenAdIds: config.hiddenAdIds,
      exposeCodes: config.exposeVerificationCodes,
      inbox: createVisibleInbox(config, core.pool),
      version,
      log,
    });
    context.onStop(() => queries.stop());
    const guards = createRequestGuards({ ...core, ...(await openRequestStorage(context, core.pool)), log });
    registerGauge(metrics, 'live_clients', 'Open WebSocket connections', () => queries.live.countClients());
    registerGauge(metrics, 'postgres_pool_connections', 'Connections of the main pool', () => core.pool.totalCount);
    return {
      handler: Router()
        .use('/api', guards, queries.api)
        .use(queries.site)
        .use('/internal/pages', pageReadRoutes(queries.pages)),
      upgrade: queries.live.upgrade,
      isReady: queries.isReady,
      drain: () => queries.live.stop(),
    };
  },
});
