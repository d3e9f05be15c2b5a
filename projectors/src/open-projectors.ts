import type { JobInspector } from '@alpenglow/domain';
import {
  createJobInspector,
  createJobQueue,
  createRecordedJobQueue,
  createUnfinishedJobs,
  openLivePublisher,
  registerQueueMetrics,
  type BackingServiceContext,
  type EventServices,
  type JobBackend,
  type Metrics,
} from '@alpenglow/infra';
import { registerProjectorMetrics } from './checkpoints/projector-metrics.ts';
import { PROJECTIONS } from './projections/index.ts';
import { startProjectors } from './projectors.ts';
import { withShards } from './shards/shards.ts';

export interface ProjectorServices {
  readonly core: EventServices;
  readonly backend: JobBackend;
  /** Resolves when the read models of this build can be used. */
  readonly live: Promise<void>;
  /** See `ProjectorDependencies`. */
  readonly yieldToOtherWork?: () => Promise<unknown>;
}

/**
 * Starts the projectors with their own connections, and registers their metrics. Everything stops when the process
 * stops. Returns the reader of the job queues, which other parts of the process can use, too.
 */
export async function openProjectors(
  context: BackingServiceContext & { readonly metrics: Metrics },
  { core, backend, live, yieldToOtherWork }: ProjectorServices,
): Promise<JobInspector> {
  const { config, databaseUrl, log, metrics, onStop } = context;
  const jobs = createRecordedJobQueue(createJobQueue(backend), createUnfinishedJobs(core.pool));
  onStop(() => jobs.close());
  const inspector = createJobInspector(backend);
  onStop(() => inspector.close());
  const projectors = startProjectors({
    ...core,
    projections: withShards(PROJECTIONS, config.projectionShards),
    live,
    connectionString: databaseUrl,
    jobs,
    inspector,
    livePublisher: await openLivePublisher(context),
    log,
    ...(yieldToOtherWork && { yieldToOtherWork }),
  });
  onStop(() => projectors.stop());
  registerProjectorMetrics(metrics, core);
  registerQueueMetrics(metrics, jobs);
  return inspector;
}
