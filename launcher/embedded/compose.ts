import path from 'node:path';
import { createCommandApi } from '@alpenglow/command-api';
import {
  BASIC_STOCK_PICTURE_COUNT,
  STOCK_PICTURE_COUNT,
  type BlobStore,
  type JobInspector,
  type LiveFeed,
} from '@alpenglow/domain';
import {
  acceptUpgrades,
  createAdDirectory,
  createDecisionDirectory,
  createReportHistoryStore,
  createApp,
  createResourceStack,
  createCommunityDirectory,
  closeServer,
  createFrontEndMetrics,
  createHttpServer,
  startListening,
  createJobInspector,
  createJobQueue,
  createRecordedJobQueue,
  createUnfinishedJobs,
  createMetrics,
  createOpenCodes,
  createReplayDirectory,
  createRuleTrials,
  createErrorHandler,
  createFairQueue,
  createHttpMetrics,
  migrate,
  rejectUnknownRoute,
  openBlobStore,
  openCore,
  openDecoder,
  openJobs,
  openKnownImages,
  openLiveFeed,
  openLivePublisher,
  openReadModelProgress,
  openReadPool,
  openRequestStorage,
  createProbes,
  findLostReadModels,
  getSandbox,
  registerQueueMetrics,
  createReadGuard,
  createLimitRecorder,
  createRequestGuards,
  createVisibleInbox,
  countOpenRequests,
  type Config,
  type BackingServiceContext,
  type Core,
  type Logger,
  type Metrics,
  type PasswordCost,
  type ReadModelProgress,
  type ReadPool,
  type ResourceStack,
} from '@alpenglow/infra';
import {
  checkColumns,
  PROJECTIONS,
  registerProjectorMetrics,
  startProjectors,
  waitUntilCaughtUp,
  withShards,
} from '@alpenglow/projectors';
import { addAdViews, createQueryApi, registerQueryApiMetrics } from '@alpenglow/query-api';
import { createShellServer, sendBusyPage } from '@alpenglow/shell/server';
import { openWorkers, seedStockPictures } from '@alpenglow/workers';
import { seedArticles } from '../seed/seed-articles.ts';
import { seedCases } from '../seed/seed-cases.ts';
import { seedCommunity } from '../seed/seed-community.ts';
import { seedDemo } from '../seed/seed-demo.ts';

export interface ComposeOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  /** The root of the checkout, which contains the migrations and built files. */
  readonly rootDir: string;
  readonly version: string;
  readonly log: Logger;
  /** Called with a message for the user when a longer step begins. */
  readonly progress: (step: string) => void;
  /** Receives the opened resources. If the start fails, the caller closes them. */
  readonly closing?: ResourceStack;
  /** The cost of new password hashes, if it is not the default. Only tests set it. */
  readonly passwordCost?: PasswordCost;
  /** The wait of a new account before its first review, if it is not the default. Only tests set it. */
  readonly reviewWait_ms?: number;
}

/**
 * Time limit for the read models to catch up at the start. It is long, because a new version may have to rebuild them.
 */
const CATCH_UP_ms = 60 * 60_000;

/**
 * Starts all services in this process, migrates the database and seeds missing data. Returns the product, which can
 * then listen for requests.
 */
export async function composeProduct({
  config,
  databaseUrl,
  rootDir,
  version,
  log,
  progress,
  closing = createResourceStack(),
  passwordCost,
  reviewWait_ms,
}: ComposeOptions) {
  progress('Migrating the database');
  await migrate(databaseUrl, { migrationsDir: path.join(rootDir, 'infra/migrations') });

  const context: BackingServiceContext = {
    config,
    databaseUrl,
    dataDir: path.resolve(rootDir, config.dataDir),
    log,
    onStop: closing.add,
    passwordCost,
  };
  const metrics = createMetrics();
  const knownImages = await openKnownImages(context);
  const core = await openCore(context);
  const { pool, store, isReady } = core;
  const blobs = await openBlobStore(context, { isNeeded: true });
  const jobBackend = await openJobs(context);
  const jobs = createRecordedJobQueue(createJobQueue(jobBackend), createUnfinishedJobs(pool));
  closing.add(() => jobs.close());
  const inspector = createJobInspector(jobBackend);
  closing.add(() => inspector.close());
  const readModels = openReadModelProgress(context, pool);

  const underWay = countOpenRequests();
  const stopWaiting = AbortSignal.timeout(CATCH_UP_ms);
  const livePublisher = await openLivePublisher(context);
  const onWaiting = (missing: readonly string[]) => progress(`Waiting for read models: ${missing.join(', ')}`);
  const live = readModels.waitUntilLive(await store.readHead(), stopWaiting, onWaiting);
  const projections = withShards(PROJECTIONS, config.projectionShards);
  const projectors = startProjectors({
    ...core,
    projections,
    live,
    connectionString: databaseUrl,
    jobs,
    inspector,
    livePublisher,
    log,
    yieldToOtherWork: underWay.waitUntilIdle,
  });
  closing.add(() => projectors.stop());
  progress('Bringing the read models up to date');
  await live;
  await checkColumns(pool, projections);
  const requests = await openRequestStorage(context, pool);
  const decoder = openDecoder(context);
  await openWorkers(context, {
    core,
    blobs,
    backend: jobBackend,
    decoder,
    knownImages,
    progress: readModels,
    requests,
  });

  await seedMissingData({ config, progress }, core, blobs);
  progress('Bringing the read models up to date');
  await waitUntilCaughtUp(pool, await store.readHead(), { signal: stopWaiting, onWaiting }, projections);

  const parts = { core, blobs, decoder, inspector, readModels, requests };
  const queries = createReadApi(
    { config, rootDir, version, log },
    { ...parts, metrics, reads: openReadPool({ ...context, metrics }, pool), feed: await openLiveFeed(context, store) },
  );
  closing.add(() => queries.stop());
  registerProjectorMetrics(metrics, core);
  registerQueueMetrics(metrics, jobs);
  registerQueryApiMetrics(metrics, { live: queries.live, pool });

  const queue = config.rateLimits ? createFairQueue() : null;
  const app = createApp({
    trustedProxies: config.trustedProxies,
    log,
    metrics: createHttpMetrics(metrics),
    firstHandlers: [underWay.countRequest],
    ...(queue ? { queue } : { maxOpenBodies: Number.POSITIVE_INFINITY }),
  });
  app.use('/api', createRequestGuards({ ...core, ...requests, log, recordLimited: createLimitRecorder(metrics, log) }));
  app.use('/api', queries.api);
  app.use('/api', createWriteApi({ config, log, reviewWait_ms }, parts));
  app.use('/api', rejectUnknownRoute);
  app.use('/uploads', createReadGuard(requests));
  app.use(queries.site);
  app.use(createProbes({ metrics, metricsToken: config.metricsToken }, isReady, () => findLostReadModels(pool)));
  app.use(
    createShellServer({
      mfDir: path.resolve(rootDir, config.mfDir),
      distDir: path.join(rootDir, 'shell/dist'),
      siteUrl: config.siteUrl,
      reads: queries.pages,
      metrics,
      isDemo: config.isDemo,
      log,
      findSandbox: getSandbox,
      onStop: closing.add,
    }),
  );
  app.use(rejectUnknownRoute);
  app.use(sendBusyPage);
  app.use(createErrorHandler(log));

  const server = createHttpServer(app);
  acceptUpgrades(server, {
    upgrade: queries.live.upgrade,
    ...(queue && { admission: { queue, trustedProxies: config.trustedProxies } }),
  });

  return {
    /** Handles all HTTP requests, such as requests for pages, `/api`, `/uploads`, `/mf` and health probes. */
    handler: app,
    /**
     * Starts listening and returns the port. If the configured port is 0, the system chooses a free port. Rejects if
     * the port is in use.
     */
    listen: (): Promise<number> => startListening(server, config),
    /**
     * Stops accepting requests, finishes the running ones within `finishRequests_ms`, and closes all resources. Does
     * not wait for `drainDelay_ms`, because no other process could handle requests in the meantime.
     */
    async stop(): Promise<void> {
      await closeServer(server, () => queries.live.stop(), config.finishRequests_ms);
      for (const err of await closing.closeAll()) log.warn({ err }, 'not closed cleanly');
    },
  };
}

/** The parts of the product that its read API and its write API use. */
interface Parts {
  readonly core: Core;
  readonly blobs: BlobStore;
  readonly decoder: ReturnType<typeof openDecoder>;
  readonly inspector: JobInspector;
  readonly readModels: ReadModelProgress;
  readonly requests: Awaited<ReturnType<typeof openRequestStorage>>;
}

/** Creates the data that a new installation needs, and that of a demo. Data that exists is not created again. */
async function seedMissingData(
  { config, progress }: Pick<ComposeOptions, 'config' | 'progress'>,
  core: Core,
  blobs: BlobStore,
): Promise<void> {
  const { pool, commands, createAccountId } = core;
  await seedStockPictures({ commands, blobs }, BASIC_STOCK_PICTURE_COUNT);
  if (config.isDemo) {
    await seedDemo({
      commands,
      createAccountId,
      blobs,
      addViews: (views) => addAdViews(pool, views),
      onProgress: (done, total) => progress(`Seeding demo ads ${done}/${total}`),
    });
    await seedArticles({ commands });
    await seedCommunity({ commands, createAccountId });
    await seedCases({ ...core, blobs });
    // These pictures come last, because encoding them would slow down the steps above.
    await seedStockPictures({ commands, blobs }, STOCK_PICTURE_COUNT);
  }
}

interface ReadParts extends Parts {
  readonly metrics: Metrics;
  readonly reads: ReadPool;
  readonly feed: LiveFeed;
}

function createReadApi(
  { config, rootDir, version, log }: Pick<ComposeOptions, 'config' | 'rootDir' | 'version' | 'log'>,
  { core, blobs, inspector, readModels, requests, metrics, reads, feed }: ReadParts,
) {
  return createQueryApi({
    ...core,
    reads,
    blobs,
    inspector,
    feed,
    progress: readModels,
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
}

function createWriteApi(
  { config, log, reviewWait_ms }: Pick<ComposeOptions, 'config' | 'log'> & { reviewWait_ms: number | undefined },
  { core, blobs, decoder, inspector, readModels, requests }: Parts,
) {
  const { pool, store } = core;
  return createCommandApi({
    ...core,
    blobs,
    decoder,
    inspector,
    progress: readModels,
    ads: createAdDirectory({ pool, store, progress: readModels }),
    decisions: createDecisionDirectory({ pool, store, progress: readModels }),
    reportHistory: createReportHistoryStore(pool),
    counters: requests.counters,
    ruleTrials: createRuleTrials({ pool, store }),
    community: createCommunityDirectory(core),
    replays: createReplayDirectory(core),
    openCodes: createOpenCodes({ pool, store, progress: readModels }),
    adminEmail: config.adminEmail,
    staffTwoStep: config.staffTwoStep,
    exposeCodes: config.exposeVerificationCodes,
    uploadWait_ms: config.uploadWait_ms,
    reviewWait_ms,
    log,
  });
}
