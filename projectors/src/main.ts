/**
 * Entry point of the projectors service, which runs projections, reactors, the live relay and other duties. If several
 * of these processes run, each duty runs in exactly one of them.
 */
import {
  createJobInspector,
  createJobQueue,
  registerGauge,
  openCore,
  openJobs,
  openLivePublisher,
  registerQueueMetrics,
  runService,
} from '@alpenglow/infra';
import { startProjectors } from './index.ts';
import { createLagReader } from './projection-lag.ts';

await runService({
  name: 'projectors',
  requires: 'database',
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
    registerGauge(
      metrics,
      'projection_lag_seconds',
      'Age of the first event not handled yet',
      createLagReader({ store, pool }),
      'name',
    );
    registerQueueMetrics(metrics, jobs);
    return { isReady };
  },
});
