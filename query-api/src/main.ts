/** query-api as a process of its own, with the live channel. */
import {
  createJobInspector,
  createReadModelProgress,
  gauge,
  openBlobStore,
  openCore,
  openJobs,
  openLiveFeed,
  openRequestMemory,
  requestGuards,
  runService,
  shownInbox,
} from '@alpenglow/infra';
import { Router } from 'express';
import { createQueryApi, pageReadRoutes } from './index.ts';

await runService({
  name: 'query-api',
  needs: 'database',
  async start(context) {
    const { config, databaseUrl, log, metrics, version } = context;
    const core = await openCore(context);
    const blobs = await openBlobStore(context);
    const feed = await openLiveFeed(context, core.store);
    const progress = createReadModelProgress({
      pool: core.pool,
      connectionString: databaseUrl,
      limit_ms: config.waitPosition_ms,
    });
    context.onStop(() => progress.close());
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
      inbox: shownInbox(config, core.pool),
      version,
      log,
    });
    context.onStop(() => queries.stop());
    const guards = requestGuards({ ...core, ...(await openRequestMemory(context, core.pool)), log });
    gauge(metrics, 'live_clients', 'Open WebSocket connections', () => queries.live.clients());
    gauge(metrics, 'postgres_pool_connections', 'Connections of the main pool', () => core.pool.totalCount);
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
