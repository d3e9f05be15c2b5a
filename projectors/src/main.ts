/**
 * Entry point of the projectors service, which runs projections, reactors, the live relay and other duties. If several
 * of these processes run, each duty runs in exactly one of them.
 */
import {
  findLostReadModels,
  namesOfFailingConsumers,
  openEvents,
  openJobs,
  readModelsWith,
  runService,
  useReadModels,
} from '@alpenglow/infra';
import { openProjectors } from './open-projectors.ts';
import { createRebuildCheck, createRolloutCheck } from './versions/rollout-check.ts';

await runService({
  name: 'projectors',
  requires: 'database',
  async start(context) {
    const { config, log, stopping } = context;
    const core = await openEvents(context);
    const { pool, store, isReady } = core;
    const backend = await openJobs(context);
    const readModels = readModelsWith(config.projectionShards);
    const live = useReadModels(pool, readModels, {
      head: await store.readHead(),
      signal: stopping,
      onWaiting: (missing) => log.info({ missing }, 'building read models'),
    });
    await openProjectors(context, { core, backend, live });
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
      findFailing: () => namesOfFailingConsumers(pool),
    };
  },
});
