/**
 * Entry point of the projectors service, which runs projections, reactors, the live relay and other duties. If several
 * of these processes run, each duty runs in exactly one of them.
 */
import {
  createJobInspector,
  createJobQueue,
  createRecordedJobQueue,
  createUnfinishedJobs,
  findLostReadModels,
  openEvents,
  openJobs,
  openLivePublisher,
  readModelsWith,
  registerQueueMetrics,
  runService,
  useReadModels,
} from '@alpenglow/infra';
import { PROJECTIONS, startProjectors, withShards } from './index.ts';
import { registerProjectorMetrics } from './checkpoints/projector-metrics.ts';
import { createRebuildCheck, createRolloutCheck } from './versions/rollout-check.ts';

await runService({
  name: 'projectors',
  requires: 'database',
  async start(context) {
    const { databaseUrl, log, metrics, stopping } = context;
    const core = await openEvents(context);
    const { pool, store, isReady } = core;
    const backend = await openJobs(context);
    const jobs = createRecordedJobQueue(createJobQueue(backend), createUnfinishedJobs(pool));
    context.onStop(() => jobs.close());
    const inspector = createJobInspector(backend);
    context.onStop(() => inspector.close());
    const livePublisher = await openLivePublisher(context);
    const readModels = readModelsWith(context.config.projectionShards);
    const live = useReadModels(pool, readModels, {
      head: await store.readHead(),
      signal: stopping,
      onWaiting: (missing) => log.info({ missing }, 'building read models'),
    });
    const projectors = startProjectors({
      ...core,
      projections: withShards(PROJECTIONS, context.config.projectionShards),
      live,
      connectionString: databaseUrl,
      jobs,
      inspector,
      livePublisher,
      log,
    });
    context.onStop(() => projectors.stop());
    registerProjectorMetrics(metrics, core);
    registerQueueMetrics(metrics, jobs);
    const findNotCurrent = () => findLostReadModels(pool);
    const checks = [
      isReady,
      createRolloutCheck({ pool, readModels, live, log }),
      // This process serves no readers. It is not ready until the read models with lost events are rebuilt, so that a
      // rolling update waits for the rebuild.
      createRebuildCheck({ findNotCurrent, log }),
    ];
    return {
      // All checks run each time, so that their limits of ten minutes do not add up.
      isReady: async () => (await Promise.all(checks.map((check) => check()))).every(Boolean),
      findNotCurrent,
    };
  },
});
