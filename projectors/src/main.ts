/** Projections, reactors and the live relay as a process of its own: of several, each duty is one's. */
import {
  createJobInspector,
  createJobQueue,
  gauge,
  openCore,
  openJobs,
  openLivePublisher,
  queueDepthMetrics,
  runService,
} from '@alpenglow/infra';
import { startProjectors } from './index.ts';
import { createLagReader } from './lag.ts';

await runService({
  name: 'projectors',
  needs: 'database',
  async start(context) {
    const { databaseUrl, log, metrics } = context;
    const core = await openCore(context);
    const { pool, store, isReady } = core;
    const backend = await openJobs(context);
    const jobs = createJobQueue(backend);
    context.onStop(() => jobs.close());
    const inspector = createJobInspector(backend);
    context.onStop(() => inspector.close());
    const livePublisher = await openLivePublisher(context);
    const projectors = startProjectors({ ...core, connectionString: databaseUrl, jobs, inspector, livePublisher, log });
    context.onStop(() => projectors.stop());
    gauge(
      metrics,
      'projection_lag_seconds',
      'Age of the first event not handled yet',
      createLagReader({ store, pool }),
      'name',
    );
    queueDepthMetrics(metrics, jobs);
    return { isReady };
  },
});
