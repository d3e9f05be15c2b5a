import type { BlobStore, JobInspector } from '@alpenglow/domain';
import {
  createAdDirectory,
  createCommunityDirectory,
  createDecisionDirectory,
  createOpenCodes,
  createOperationRouter,
  createReplayDirectory,
  createReportHistoryStore,
  createRuleTrials,
  type BackingServiceContext,
  type Core,
  type Decoder,
  type OperationRouter,
  type ReadModelProgress,
  type RequestStorage,
} from '@alpenglow/infra';
import type { CommandApiDependencies } from './dependencies.ts';
import { adminRoutes } from './routes/admin.ts';
import { adRoutes } from './routes/ads.ts';
import { authRoutes } from './routes/auth/routes.ts';
import { appealRoutes } from './routes/appeals.ts';
import { caseRoutes } from './routes/cases.ts';
import { blogRoutes } from './routes/blog/routes.ts';
import { jobRoutes } from './routes/jobs.ts';
import { identityDecisionRoutes, identityRoutes } from './routes/identity.ts';
import { moderationRoutes } from './routes/community/moderation.ts';
import { communityRoutes } from './routes/community/routes.ts';
import { consentRoutes } from './routes/consents.ts';
import { favoriteRoutes } from './routes/favorites.ts';
import { erasureRoutes, personAdminRoutes } from './routes/person.ts';
import { projectionRoutes } from './routes/projections.ts';
import { removalRoutes } from './routes/removals.ts';
import { reportRoutes } from './routes/reports.ts';
import { reviewRoutes } from './routes/reviews.ts';
import { roleRoutes } from './routes/roles.ts';
import { ruleRoutes } from './routes/rules.ts';
import { unsubscribeRoutes } from './routes/unsubscribe.ts';
import { uploadRoutes } from './uploads/routes.ts';

/** Returns the router of the command API, for the path `/api`. The router passes unknown paths to the next handler. */
export function createCommandApi(deps: CommandApiDependencies): OperationRouter {
  return createOperationRouter().include(
    authRoutes(deps),
    adRoutes(deps),
    reviewRoutes(deps),
    uploadRoutes(deps),
    favoriteRoutes(deps),
    communityRoutes(deps),
    unsubscribeRoutes(deps),
    erasureRoutes(deps),
    consentRoutes(deps),
    reportRoutes(deps),
    removalRoutes(deps),
    appealRoutes(deps),
    caseRoutes(deps),
    projectionRoutes(deps),
    adminRoutes(deps),
    roleRoutes(deps),
    personAdminRoutes(deps),
    moderationRoutes(deps),
    jobRoutes(deps),
    ruleRoutes(deps),
    identityRoutes(deps),
    identityDecisionRoutes(deps),
    blogRoutes(deps),
  );
}

/** Connections to the backing services that the command API uses. */
export interface CommandApiServices {
  readonly core: Core;
  readonly blobs: BlobStore;
  readonly decoder: Decoder;
  readonly inspector: JobInspector;
  readonly progress: ReadModelProgress;
  readonly requests: Pick<RequestStorage, 'counters'>;
}

/**
 * Returns the router of the command API, for the path `/api`. `chosen` adds dependencies that only the process
 * knows, such as the signal of its stop, and replaces dependencies that this function creates.
 */
export function openCommandApi(
  { config, log }: Pick<BackingServiceContext, 'config' | 'log'>,
  { core, blobs, decoder, inspector, progress, requests }: CommandApiServices,
  chosen: Partial<CommandApiDependencies> = {},
): OperationRouter {
  return createCommandApi({
    ...core,
    blobs,
    decoder,
    inspector,
    progress,
    ads: createAdDirectory({ ...core, progress }),
    decisions: createDecisionDirectory({ ...core, progress }),
    reportHistory: createReportHistoryStore(core.pool),
    counters: requests.counters,
    ruleTrials: createRuleTrials(core),
    community: createCommunityDirectory(core),
    replays: createReplayDirectory(core),
    openCodes: createOpenCodes({ ...core, progress }),
    adminEmail: config.adminEmail,
    siteUrl: config.siteUrl,
    staffTwoStep: config.staffTwoStep,
    exposeCodes: config.exposeVerificationCodes,
    uploadWait_ms: config.uploadWait_ms,
    log,
    ...chosen,
  });
}

export { computeFingerprint } from './routes/community/fingerprint.ts';
