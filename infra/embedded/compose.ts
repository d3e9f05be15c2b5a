import type { RequestListener } from 'node:http';
import path from 'node:path';
import { createCommandApi } from '@alpenglow/command-api';
import {
  acceptUpgrades,
  createAdDirectory,
  createDecisionDirectory,
  createEvidenceDirectory,
  createApp,
  createClosing,
  createCommunityDirectory,
  createFollowDirectory,
  createHttpServer,
  createJobInspector,
  createJobQueue,
  createMetrics,
  createOpenCodes,
  createReplayDirectory,
  createMediaDirectory,
  createReadModelProgress,
  createRuleTrials,
  errorHandler,
  gauge,
  httpMetrics,
  migrate,
  noSuchRoute,
  openBlobStore,
  openCore,
  openJobs,
  openKnownImages,
  openLiveFeed,
  openLivePublisher,
  openMail,
  openRequestMemory,
  probes,
  queueDepthMetrics,
  requestGuards,
  shownInbox,
  siteAddress,
  sweepIdentityChecks,
  watchUnderWay,
  type Config,
  type EngineContext,
  type Logger,
} from '@alpenglow/infra';
import { createLagReader, startProjectors, waitUntilCaughtUp } from '@alpenglow/projectors';
import { createQueryApi } from '@alpenglow/query-api';
import { createShellServer } from '@alpenglow/shell/server';
import { seedHousePictures, startWorkers } from '@alpenglow/workers';
import { seedArticles } from './seed/seed-articles.ts';
import { seedCommunity } from './seed/seed-community.ts';
import { seedDemo } from './seed/seed.ts';

export interface Product {
  /** Answers every HTTP request: the site, `/api`, `/uploads`, `/mf`, probes. */
  readonly handler: RequestListener;
  /** Starts listening; rejects when the port is taken. Answers the port, which matters when it was 0. */
  listen(): Promise<number>;
  /** Stops taking requests, finishes what is under way, and lets go of everything. Within 10 s. */
  stop(): Promise<void>;
}

export interface ComposeOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  /** The checkout: migrations and built files are found from here. */
  readonly rootDir: string;
  readonly version: string;
  readonly log: Logger;
  /** Told about each longer step, in words for the person who waits. */
  readonly progress: (step: string) => void;
}

/** Long enough to rebuild what a new version has changed. */
const CATCH_UP_ms = 60 * 60_000;
const DRAIN_ms = 5_000;

/** Composes every service into one process, brings the database up to date, seeds what is missing, and is ready to listen. */
export async function composeProduct({
  config,
  databaseUrl,
  rootDir,
  version,
  log,
  progress,
}: ComposeOptions): Promise<Product> {
  progress('Migrating the database');
  await migrate(databaseUrl, { migrationsDir: path.join(rootDir, 'infra/migrations') });

  const closing = createClosing();
  const context: EngineContext = {
    config,
    databaseUrl,
    dataDir: path.resolve(rootDir, config.dataDir),
    log,
    onStop: closing.add,
  };
  const metrics = createMetrics();
  const knownImages = await openKnownImages(context);
  const core = await openCore(context);
  const { pool, store, commands, sessions, accountIdOf, isReady } = core;
  const blobs = await openBlobStore(context, { isNeeded: true });
  const jobBackend = await openJobs(context);
  const jobs = createJobQueue(jobBackend);
  closing.add(() => jobs.close());
  const inspector = createJobInspector(jobBackend);
  closing.add(() => inspector.close());
  const readModels = createReadModelProgress({ pool, connectionString: databaseUrl, limit_ms: config.waitPosition_ms });
  closing.add(() => readModels.close());

  const underWay = watchUnderWay();
  const projectors = startProjectors({
    ...core,
    connectionString: databaseUrl,
    jobs,
    inspector,
    livePublisher: await openLivePublisher(context),
    log,
    stepBack: underWay.stepBack,
  });
  closing.add(() => projectors.stop());
  const mailing = await openMail(context, pool);
  const requests = await openRequestMemory(context, pool);
  const workers = startWorkers({
    ...core,
    ...mailing,
    backend: jobBackend,
    blobs,
    knownImages,
    progress: readModels,
    directory: createMediaDirectory(pool),
    evidence: createEvidenceDirectory(pool),
    ads: createAdDirectory({ pool, store, progress: readModels }),
    follows: createFollowDirectory(pool),
    site: siteAddress(config),
    sweepExpired: () =>
      Promise.all([
        sessions.sweep(),
        mailing.sweepMails(),
        requests.sweep(),
        core.staffReads.sweep(),
        sweepIdentityChecks({ pool, commands, blobs }),
      ]),
    log,
  });
  closing.add(() => workers.stop());

  await seedHousePictures({ commands, blobs });
  if (config.demo) {
    await seedDemo({ commands, accountIdOf, onProgress: (done, of) => progress(`Seeding demo ads ${done}/${of}`) });
    await seedArticles({ commands });
    await seedCommunity({ commands, accountIdOf });
  }
  progress('Bringing the read models up to date');
  await waitUntilCaughtUp(pool, await store.head(), AbortSignal.timeout(CATCH_UP_ms));

  const queries = createQueryApi({
    ...core,
    blobs,
    inspector,
    feed: await openLiveFeed(context, store),
    progress: readModels,
    adminEmail: config.adminEmail,
    hiddenAdIds: config.hiddenAdIds,
    exposeCodes: config.exposeVerificationCodes,
    inbox: shownInbox(config, pool),
    version,
    log,
  });
  closing.add(() => queries.stop());
  gauge(
    metrics,
    'projection_lag_seconds',
    'Age of the first event not handled yet',
    createLagReader({ store, pool }),
    'name',
  );
  queueDepthMetrics(metrics, jobs);
  gauge(metrics, 'live_clients', 'Open WebSocket connections', () => queries.live.clients());
  gauge(metrics, 'postgres_pool_connections', 'Connections of the main pool', () => pool.totalCount);

  const app = createApp({
    trustedProxies: config.trustedProxies,
    log,
    metrics: httpMetrics(metrics),
    first: [underWay.handler],
  });
  app.use('/api', requestGuards({ ...core, ...requests, log }));
  app.use('/api', queries.api);
  app.use(
    '/api',
    createCommandApi({
      ...core,
      blobs,
      inspector,
      progress: readModels,
      ads: createAdDirectory({ pool, store, progress: readModels }),
      decisions: createDecisionDirectory({ pool, store, progress: readModels }),
      ruleTrials: createRuleTrials({ pool, store }),
      community: createCommunityDirectory(core),
      replays: createReplayDirectory(core),
      openCodes: createOpenCodes({ pool, store, progress: readModels }),
      adminEmail: config.adminEmail,
      staffTwoStep: config.staffTwoStep,
      exposeCodes: config.exposeVerificationCodes,
      log,
    }),
  );
  app.use('/api', noSuchRoute);
  app.use(queries.site);
  app.use(probes(metrics, isReady));
  app.use(
    createShellServer({
      mfDir: path.resolve(rootDir, config.mfDir),
      distDir: path.join(rootDir, 'shell/dist'),
      siteUrl: config.siteUrl,
      reads: queries.pages,
      metrics,
      log,
    }),
  );
  app.use(noSuchRoute);
  app.use(errorHandler(log));

  const server = createHttpServer(app);
  acceptUpgrades(server, { upgrade: queries.live.upgrade });

  return {
    handler: app,
    listen: () =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(config.port, config.host, () => {
          server.off('error', reject);
          const address = server.address();
          resolve(typeof address === 'object' && address ? address.port : config.port);
        });
      }),
    async stop() {
      const drained = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await queries.live.stop();
      const cutOff = setTimeout(() => server.closeAllConnections(), DRAIN_ms);
      await drained;
      clearTimeout(cutOff);
      for (const err of await closing.closeAll()) log.warn({ err }, 'not closed cleanly');
    },
  };
}
