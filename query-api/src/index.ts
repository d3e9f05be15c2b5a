import type { BlobStore, EventStore, JobInspector, LiveFeed, PageReads, VerificationCodeOf } from '@alpenglow/domain';
import type {
  AuditLog,
  Authentication,
  CommandHandler,
  DataKeys,
  Inbox,
  Logger,
  ReadModelProgress,
  StaffReads,
  StatementTokens,
} from '@alpenglow/infra';
import { Router } from 'express';
import { createLiveClients, type Pool } from '@alpenglow/infra';
import { adminExportRoutes, createExports, exportRoutes } from './account/export.ts';
import { identityReadRoutes } from './admin/identity/routes.ts';
import { staffReadRoutes } from './admin/staff-reads/routes.ts';
import { logRoutes, rootRoutes } from './admin/log/routes.ts';
import { historyRoutes } from './admin/history/routes.ts';
import { adminReadRoutes } from './admin/routes.ts';
import { transparencyRoutes } from './admin/transparency/routes.ts';
import { jobReadRoutes } from './admin/jobs/routes.ts';
import { ruleReadRoutes } from './admin/rules/routes.ts';
import { overviewRoutes } from './admin/overview/routes.ts';
import { replayReadRoutes } from './admin/replay/routes.ts';
import { createAdReader } from './ads/ad-reader.ts';
import { createListAnswers } from './ads/list-answers.ts';
import { adReadRoutes } from './ads/routes.ts';
import { createViewCounter } from './ads/view-counter.ts';
import { createArticleAnswers } from './blog/article-answers.ts';
import { createArticleReader } from './blog/article-reader.ts';
import { adminBlogReadRoutes, blogReadRoutes } from './blog/routes.ts';
import { createCommunityAnswers } from './community/community-answers.ts';
import { communityAdminReadRoutes, communityReadRoutes } from './community/routes.ts';
import { createThreadReader } from './community/thread-reader.ts';
import { unsubscribeLinkRoutes } from './community/unsubscribe-link.ts';
import { devInboxRoutes } from './dev-inbox.ts';
import { docsRoutes } from './docs/routes.ts';
import { favoriteReadRoutes } from './favorites/routes.ts';
import { health } from './health.ts';
import { createLiveChannel, type LiveChannel } from './live/live-channel.ts';
import { personReadRoutes, receiptRoutes } from './person/routes.ts';
import { caseReadRoutes } from './moderation/case-routes.ts';
import { reportStatusRoutes, statementRoutes } from './moderation/statement-routes.ts';
import { createPageReads } from './pages/page-reads.ts';
import { searchRoutes } from './search/routes.ts';
import { createSearchAnswers } from './search/search-answers.ts';
import { createSyncStatus, syncRoutes } from './sync.ts';
import { photoRoutes } from './uploads/photos.ts';
import { videoRoutes } from './uploads/video.ts';

/** Asked for to see whether ads can be looked up. */
const NO_AD = 'none';
/** Fails where a read model is not there that looking up an ad does not ask. */
const OTHER_READ_MODELS = `select ${[
  'age from rm.accounts',
  'posted_at from rm.ad_owners',
  'moves_up from rm.ad_standings',
  'within_s from rm.transparency_days',
  'done from rm.erasures',
  'ad_ids from rm.favorites',
  'phone_digits from rm.ad_links',
  'is_holding from rm.moderation_cases',
  'facts from rm.decisions',
  'reference from rm.reports',
  'issuance_id from rm.verification_codes',
  'activity from rm.community_threads',
  'count from rm.community_places',
  'words from rm.community_posts',
  'mail from rm.thread_follows',
  'mark_id from rm.helpful_marks',
  'ads from rm.daily_counts',
  'corrections from rm.articles',
  'count from rm.article_tags',
  'phrases from rm.hiding_rules',
  'is_destroyed from rm.identity_checks',
]
  .map((column) => `(select ${column} limit 0)`)
  .join(', ')} limit 0`;

export interface QueryApiDependencies {
  readonly pool: Pool;
  readonly store: EventStore;
  /** The same events, with personal data sealed. */
  readonly sealedStore: EventStore;
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
  /** What admins look into the queues with. */
  readonly inspector: JobInspector;
  /** What the live channel tells of. */
  readonly feed: LiveFeed;
  readonly progress: ReadModelProgress;
  readonly staffReads: StaffReads;
  /** What opens evidence of identity checks. */
  readonly dataKeys: DataKeys;
  readonly auditLog: AuditLog;
  readonly authentication: Authentication;
  readonly statementTokens: StatementTokens;
  readonly accountIdOf: (email: string) => string;
  readonly codeOf: VerificationCodeOf;
  readonly adminEmail: string | null;
  /** Ads that no visitor finds in a list. */
  readonly hiddenAdIds: readonly string[];
  /** Whether admins are told verification codes. */
  readonly exposeCodes: boolean;
  readonly version: string;
  /** Null where mails really leave. */
  readonly inbox: Inbox | null;
  readonly log: Logger;
}

export interface QueryApi {
  /** The calls that read, to be mounted at `/api`. What is not one of them falls through. */
  readonly api: Router;
  /** What stands beside the API: uploaded pictures and videos, the demo inbox. To be mounted at `/`. */
  readonly site: Router;
  readonly live: LiveChannel;
  /** What the shell's server needs for its pages. */
  readonly pages: PageReads;
  /** Whether the read models this build asks of are there and answer: before its projectors have run, they may not be. */
  readonly isReady: () => Promise<boolean>;
  /** Lets go of everything but the live channel, once requests have been answered. */
  stop(): Promise<void>;
}

export function createQueryApi(deps: QueryApiDependencies): QueryApi {
  const api = Router();
  const views = createViewCounter(deps.pool, deps.log);
  const reader = createAdReader(deps);
  const isReady = async () =>
    (await reader.find(NO_AD, null)) === null && (await deps.pool.query(OTHER_READ_MODELS)).rowCount === 0;
  const lists = createListAnswers({ ...deps, ads: reader });
  const articles = createArticleReader(deps);
  const articleAnswers = createArticleAnswers({ ...deps, articles });
  const threads = createThreadReader(deps);
  const communityAnswers = createCommunityAnswers({ ...deps, threads });
  const searchAnswers = createSearchAnswers({ ...deps, lists });
  const community = { ...deps, threads, answers: communityAnswers };
  const live = createLiveChannel(deps);
  const liveClients = createLiveClients(deps.pool, () => live.clients());
  api.get('/health', health(deps.version, isReady));
  api.use('/docs', docsRoutes(deps.version));
  api.use('/ads', adReadRoutes({ ...deps, views, lists, ads: reader }));
  api.use('/favorites', favoriteReadRoutes(deps));
  api.use('/community', communityReadRoutes(community), unsubscribeLinkRoutes());
  api.use('/blog', blogReadRoutes({ ...deps, articleAnswers }));
  api.use('/account/erasure', receiptRoutes(deps));
  api.use('/admin', historyRoutes(deps), personReadRoutes(deps));
  api.use('/admin/transparency', transparencyRoutes(deps));
  api.use('/admin/overview', overviewRoutes({ ...deps, liveClients, syncStatus: createSyncStatus(deps) }));
  api.use('/admin/jobs', jobReadRoutes(deps));
  api.use('/admin/rules', ruleReadRoutes(deps));
  api.use('/admin/projections', replayReadRoutes(deps));
  api.use('/admin', adminReadRoutes(deps));
  const exports = createExports(deps);
  api.use('/account', exportRoutes(exports));
  api.use('/admin/users', adminExportRoutes(exports));
  api.use('/admin/staff-reads', staffReadRoutes(deps));
  api.use('/admin/identity', identityReadRoutes(deps));
  api.use('/admin/log', logRoutes(deps));
  api.use('/audit', rootRoutes(deps));
  api.use('/admin/community', communityAdminReadRoutes(community));
  api.use('/admin/blog', adminBlogReadRoutes({ ...deps, articleAnswers }));
  api.use('/admin/moderation/cases', caseReadRoutes(deps));
  api.use('/account/decisions', statementRoutes(deps));
  api.use('/reports', reportStatusRoutes(deps));
  api.use('/search', searchRoutes({ ...deps, answers: searchAnswers }));
  api.use('/sync', syncRoutes(deps));
  const uploads = Router();
  uploads.use('/photos', photoRoutes(deps));
  uploads.use('/video', videoRoutes(deps));
  api.use('/uploads', uploads);
  const site = Router();
  site.use('/uploads', uploads);
  if (deps.inbox) site.use(devInboxRoutes(deps.inbox));
  return {
    api,
    site,
    live,
    pages: createPageReads({ ...deps, lists, articles, articleAnswers, communityAnswers }),
    isReady,
    async stop() {
      lists.stop();
      articleAnswers.stop();
      communityAnswers.stop();
      searchAnswers.stop();
      await liveClients.close();
      await views.stop();
    },
  };
}
export { pageReadRoutes } from './pages/routes.ts';
