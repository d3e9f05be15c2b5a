import path from 'node:path';
import { openCommandApi } from '@alpenglow/command-api';
import { BASIC_STOCK_PICTURE_COUNT, STOCK_PICTURE_COUNT, type BlobStore } from '@alpenglow/domain';
import {
  acceptUpgrades,
  createApp,
  createResourceStack,
  closeServer,
  createHttpServer,
  startListening,
  createMetrics,
  createErrorHandler,
  createFairQueue,
  createHttpMetrics,
  migrate,
  rejectUnknownRoute,
  openBlobStore,
  openCore,
  openDecoder,
  openFailedRequests,
  startTracing,
  type FailureSink,
  openJobs,
  openHashList,
  openReadModelProgress,
  openRequestStorage,
  createProbes,
  findLostReadModels,
  namesOfFailingConsumers,
  getSandbox,
  createReadGuard,
  createLimitRecorder,
  createRequestGuards,
  countOpenRequests,
  registerDiskMetrics,
  writtenFolders,
  type Config,
  type Core,
  type Logger,
  type PasswordCost,
  type ResourceStack,
} from '@alpenglow/infra';
import { checkColumns, PROJECTIONS, openProjectors, waitUntilCaughtUp, withShards } from '@alpenglow/projectors';
import { addAdViews, openQueryApi } from '@alpenglow/query-api';
import { createShellServer, loadLocalRemotes, sendBusyPage } from '@alpenglow/shell/server';
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

  const stopTracing = await startTracing(config, { service: 'alpenglow', version, log });
  // It is closed last, so that the spans of the last requests are sent.
  closing.add(stopTracing);
  const failureSink: FailureSink = { record: null };
  const metrics = createMetrics();
  registerDiskMetrics(metrics, writtenFolders(config, rootDir));
  const context = {
    config,
    databaseUrl,
    dataDir: path.resolve(rootDir, config.dataDir),
    rootDir,
    version,
    metrics,
    log,
    onStop: closing.add,
    passwordCost,
  };
  const hashList = await openHashList(context);
  const core = await openCore(context);
  const { pool, store, isReady } = core;
  const blobs = await openBlobStore(context, { isNeeded: true });
  const backend = await openJobs(context);
  const readModels = openReadModelProgress(context, pool);

  const underWay = countOpenRequests();
  const stopWaiting = AbortSignal.timeout(CATCH_UP_ms);
  const onWaiting = (missing: readonly string[]) => progress(`Waiting for read models: ${missing.join(', ')}`);
  const live = readModels.waitUntilLive(await store.readHead(), stopWaiting, onWaiting);
  const projections = withShards(PROJECTIONS, config.projectionShards);
  const yieldToOtherWork = underWay.waitUntilIdle;
  const inspector = await openProjectors(context, { core, backend, live, yieldToOtherWork });
  progress('Bringing the read models up to date');
  await live;
  await checkColumns(pool, projections);
  const requests = await openRequestStorage(context, pool);
  failureSink.record = openFailedRequests({ ...context, service: 'alpenglow' }, pool).record;
  const decoder = openDecoder(context);
  await openWorkers(context, {
    core,
    blobs,
    backend,
    decoder,
    hashList,
    progress: readModels,
    requests,
  });

  await seedMissingData({ config, progress }, core, blobs);
  progress('Bringing the read models up to date');
  await waitUntilCaughtUp(pool, await store.readHead(), { signal: stopWaiting, onWaiting }, projections);

  const services = { core, blobs, decoder, inspector, progress: readModels, requests };
  const queries = await openQueryApi(context, services);

  const queue = config.rateLimits ? createFairQueue() : null;
  const app = createApp({
    trustedProxies: config.trustedProxies,
    log,
    metrics: createHttpMetrics(metrics),
    firstHandlers: [underWay.countRequest],
    failureSink,
    ...(queue ? { queue } : { maxOpenBodies: Number.POSITIVE_INFINITY }),
  });
  app.use('/api', createRequestGuards({ ...core, ...requests, log, recordLimited: createLimitRecorder(metrics, log) }));
  app.use('/api', queries.api);
  app.use('/api', openCommandApi(context, services, { reviewWait_ms }));
  app.use('/api', rejectUnknownRoute);
  app.use('/uploads', createReadGuard(requests));
  app.use(queries.site);
  app.use(
    createProbes(
      { metrics, metricsToken: config.metricsToken },
      isReady,
      () => findLostReadModels(pool),
      () => namesOfFailingConsumers(pool),
    ),
  );
  app.use(
    createShellServer({
      mfDir: path.resolve(rootDir, config.mfDir),
      frontEndTrust: config.frontEndTrust,
      distDir: path.join(rootDir, 'shell/dist'),
      siteUrl: config.siteUrl,
      reads: queries.pages,
      metrics,
      isDemo: config.isDemo,
      localRemotes: config.localRemotes ? await loadLocalRemotes() : null,
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
