import path from 'node:path';
import type { BlobStore, JobInspector } from '@alpenglow/domain';
import { Router, type RequestHandler } from 'express';
import {
  createEvidenceReader,
  createFrontEndMetrics,
  createLiveClientCount,
  createOperationRouter,
  createVisibleInbox,
  findAgain,
  findMissingReadModels,
  openLiveFeed,
  openReadPool,
  provideHead,
  READ_MODELS,
  waitForPosition,
  type BackingServiceContext,
  type Core,
  type Metrics,
  type ReadModelProgress,
  type RequestStorage,
} from '@alpenglow/infra';
import { createExports, exportRoutes } from './account/export.ts';
import { identityReadRoutes } from './admin/identity/routes.ts';
import { staffReadRoutes } from './admin/staff-reads/routes.ts';
import { logRoutes, dailyRootRoutes } from './admin/log/routes.ts';
import { historyRoutes } from './admin/history/routes.ts';
import { adminReadRoutes } from './admin/routes.ts';
import { transparencyRoutes } from './admin/transparency/routes.ts';
import { jobReadRoutes } from './admin/jobs/routes.ts';
import { ruleReadRoutes } from './admin/rules/routes.ts';
import { overviewRoutes } from './admin/overview/routes.ts';
import { replayReadRoutes } from './admin/replay/routes.ts';
import { requestRoutes } from './admin/requests/routes.ts';
import { createAdReader } from './ads/ad-reader.ts';
import type { QueryApiDependencies } from './dependencies.ts';
import { createListResponses } from './ads/list-responses.ts';
import { contactRoutes } from './ads/contact.ts';
import { previewRoutes } from './ads/preview.ts';
import { adReadRoutes } from './ads/routes.ts';
import { createViewCounter } from './ads/view-counter.ts';
import { viewRoutes } from './ads/view-routes.ts';
import { createArticleResponses } from './blog/article-responses.ts';
import { createArticleReader } from './blog/article-reader.ts';
import { adminBlogReadRoutes, blogReadRoutes } from './blog/routes.ts';
import { createCommunityResponses } from './community/community-responses.ts';
import { communityAdminReadRoutes, communityReadRoutes } from './community/routes.ts';
import { createThreadReader } from './community/thread-reader.ts';
import { unsubscribeLinkRoutes } from './community/unsubscribe-link.ts';
import { devInboxRoutes } from './dev-inbox.ts';
import { docsRoutes } from './docs/routes.ts';
import { favoriteReadRoutes } from './favorites/routes.ts';
import { createDeployedBuilds } from './front-ends/deployed-builds.ts';
import { createReportCounter } from './front-ends/report-counter.ts';
import { frontEndRoutes } from './front-ends/routes.ts';
import { createHealthHandler } from './health.ts';
import { createLiveChannel } from './live/live-channel.ts';
import { createLiveSubjects } from './live/live-subjects.ts';
import { personReadRoutes, receiptRoutes } from './person/routes.ts';
import { caseReadRoutes } from './moderation/case-routes.ts';
import { removalReadRoutes } from './moderation/removal-routes.ts';
import { reportStatusRoutes, statementRoutes } from './moderation/statement-routes.ts';
import { registerQueryApiMetrics } from './metrics.ts';
import { createPageReads } from './pages/page-reads.ts';
import { searchRoutes } from './search/routes.ts';
import { createSearchResponses } from './search/search-responses.ts';
import { createSyncStatus, syncRoutes } from './sync.ts';
import { createMediaGuard, mediaAccessRoutes } from './uploads/media-access.ts';
import { createMediaVisibility, MEDIA_READ_MODELS } from './uploads/media-visibility.ts';
import { createPhotoHandler } from './uploads/photos.ts';
import { withRecentBlobs } from './uploads/recent-blobs.ts';
import { createVideoHandler } from './uploads/video.ts';

export { addAdViews } from './ads/view-counter.ts';

/** An ad id that does not exist. The readiness check searches for this ad to test the read models of ads. */
const NO_AD = 'none';
/** The SQL query with which the readiness check tests the read models. It fails if a table or a column is missing. */
const READ_ALL_COLUMNS = `select ${READ_MODELS.map(
  ({ table, columns }) => `exists (select ${Object.keys(columns).join(', ')} from ${table} limit 0)`,
).join(', ')} limit 0`;

function createQueryApi(deps: QueryApiDependencies) {
  const views = createViewCounter(deps.pool, deps.log);
  const reports = createReportCounter({
    ...deps,
    metrics: deps.frontEndMetrics,
    findDeployed: createDeployedBuilds(deps.mfDir),
  });
  const reader = createAdReader(deps);
  // The service is ready without its replicas, and only if the primary server responds.
  const primaryReader = createAdReader({ ...deps, reads: deps.pool });
  const isReady = async () =>
    (await findMissingReadModels(deps.pool)).length === 0 &&
    (await primaryReader.find(NO_AD, null)) === null &&
    (await deps.pool.query(READ_ALL_COLUMNS)).rowCount === 0;
  const lists = createListResponses({ ...deps, ads: reader });
  const articles = createArticleReader(deps);
  const articleResponses = createArticleResponses({ ...deps, articles });
  const threads = createThreadReader(deps);
  const communityResponses = createCommunityResponses({ ...deps, threads });
  const searchResponses = createSearchResponses({ ...deps, lists });
  const community = { ...deps, threads, responses: communityResponses };
  const live = createLiveChannel({ ...deps, subjects: createLiveSubjects(deps) });
  const liveClients = createLiveClientCount(deps.pool, () => live.countClients());
  const visibility = createMediaVisibility(deps);
  const guard = createMediaGuard({ ...deps, visibility });
  const files = { ...deps, guard, evidence: createEvidenceReader(deps) };
  // Lags are numbers of events, so their personal data is not decrypted.
  const lagDeps = { ...deps, store: deps.sealedStore };
  const photo = createPhotoHandler({ ...files, recentBlobs: withRecentBlobs(deps.blobs) });
  const video = createVideoHandler(files);
  const mediaWait = waitForPosition(deps.progress, MEDIA_READ_MODELS);
  const api = createOperationRouter()
    .on('getHealth', createHealthHandler(deps.version, isReady))
    .on('getPhoto', mediaWait, photo)
    .on('getVideo', mediaWait, video);
  api.include(
    mediaAccessRoutes({ ...deps, visibility }),
    docsRoutes(deps.version),
    adReadRoutes({ ...deps, lists, ads: reader }),
    contactRoutes({ ...deps, ads: reader }),
    previewRoutes(deps),
    viewRoutes({ ...deps, views, ads: reader }),
    favoriteReadRoutes({ ...deps, ads: reader }),
    communityReadRoutes(community),
    requestRoutes(deps),
    unsubscribeLinkRoutes(),
    blogReadRoutes({ ...deps, articleResponses }),
    receiptRoutes(deps),
    historyRoutes(deps),
    personReadRoutes(deps),
    transparencyRoutes(deps),
    overviewRoutes({ ...deps, liveClients, syncStatus: createSyncStatus(lagDeps) }),
    jobReadRoutes(deps),
    ruleReadRoutes(deps),
    replayReadRoutes(deps),
    adminReadRoutes(deps),
    exportRoutes(createExports(deps)),
    staffReadRoutes(deps),
    identityReadRoutes(deps),
    logRoutes(deps),
    dailyRootRoutes(deps),
    communityAdminReadRoutes(community),
    adminBlogReadRoutes({ ...deps, articleResponses }),
    caseReadRoutes(deps),
    statementRoutes(deps),
    reportStatusRoutes(deps),
    removalReadRoutes(deps),
    searchRoutes({ ...deps, responses: searchResponses }),
    syncRoutes(lagDeps),
    frontEndRoutes({ ...deps, reports }),
  );
  const site = Router();
  const head = provideHead(deps);
  site.get('/uploads/photos/:mediaId/:variant', head, findAgain(photo as RequestHandler, mediaWait));
  site.get('/uploads/video/:mediaId', head, findAgain(video as RequestHandler, mediaWait));
  if (deps.inbox) site.use(devInboxRoutes(deps.inbox, deps.siteUrl));
  return {
    /** The operations of this service for the path `/api`. Unknown paths are passed to the next handler. */
    api,
    /** The routes outside the API for the path `/`. They return uploaded media and the demo inbox. */
    site,
    live,
    /** The functions with which the shell server reads the data of the pages that it renders. */
    pages: createPageReads({
      ...deps,
      lists,
      articles,
      articleResponses,
      communityResponses,
      searchResponses,
    }),
    /**
     * Checks whether the read models that this build needs exist and respond. The read models are missing until the
     * projectors have created them.
     */
    isReady,
    /** Releases all resources except the live channel. Call this after the last response. */
    async stop(): Promise<void> {
      lists.stop();
      articleResponses.stop();
      communityResponses.stop();
      searchResponses.stop();
      await liveClients.close();
      await views.stop();
      await reports.stop();
    },
  };
}

interface QueryApiContext extends BackingServiceContext {
  readonly metrics: Metrics;
  /** The root folder of the repository or of a container image. */
  readonly rootDir: string;
  readonly version: string;
}

/** Connections to the backing services that the query API shares with other parts of the process. */
export interface QueryApiServices {
  readonly core: Core;
  readonly blobs: BlobStore;
  readonly inspector: JobInspector;
  readonly progress: ReadModelProgress;
  readonly requests: RequestStorage;
}

/** Opens the query API with its own connections, which close when the process stops, and registers its metrics. */
export async function openQueryApi(
  context: QueryApiContext,
  { core, blobs, inspector, progress, requests }: QueryApiServices,
) {
  const { config, rootDir, metrics, version, log } = context;
  const queries = createQueryApi({
    ...core,
    reads: openReadPool(context, core.pool),
    blobs,
    inspector,
    feed: await openLiveFeed(context, core.store),
    progress,
    adminEmail: config.adminEmail,
    hiddenAdIds: config.hiddenAdIds,
    trustedProxies: config.trustedProxies,
    rateLimits: config.rateLimits,
    counters: requests.counters,
    sharedCounters: requests.sharedCounters,
    exposeCodes: config.exposeVerificationCodes,
    inbox: createVisibleInbox(config, core.pool),
    siteUrl: config.siteUrl,
    backupRetention_days: config.backupRetention_days,
    mfDir: path.resolve(rootDir, config.mfDir),
    frontEndMetrics: createFrontEndMetrics(metrics),
    version,
    log,
  });
  context.onStop(() => queries.stop());
  registerQueryApiMetrics(metrics, { live: queries.live, pool: core.pool });
  return queries;
}

export { registerQueryApiMetrics } from './metrics.ts';
export { pageReadRoutes } from './pages/routes.ts';
