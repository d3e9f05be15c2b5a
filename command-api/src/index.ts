import type {
  AdDirectory,
  Authentication,
  CommandHandler,
  CommunityDirectory,
  DataKeys,
  DecisionDirectory,
  Logger,
  OpenCodes,
  Passwords,
  ReadModelProgress,
  RuleTrials,
  ReplayDirectory,
  Sessions,
  StaffReads,
  StatementTokens,
  UnsubscribeTokens,
} from '@alpenglow/infra';
import type { BlobStore, JobInspector, VerificationCodeOf } from '@alpenglow/domain';
import { Router } from 'express';
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
import { reportRoutes } from './routes/reports.ts';
import { reviewRoutes } from './routes/reviews.ts';
import { roleRoutes } from './routes/roles.ts';
import { ruleRoutes } from './routes/rules.ts';
import { unsubscribeRoutes } from './routes/unsubscribe.ts';
import { uploadRoutes } from './uploads/routes.ts';

export interface CommandApiDependencies {
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
  /** Reads the job queues. */
  readonly inspector: JobInspector;
  /** Positions of the projections and of the duty that moves jobs. */
  readonly progress: Pick<ReadModelProgress, 'waitFor'>;
  readonly sessions: Sessions;
  /** What seals evidence of identity checks. */
  readonly dataKeys: DataKeys;
  readonly authentication: Authentication;
  readonly ads: AdDirectory;
  readonly decisions: DecisionDirectory;
  readonly ruleTrials: RuleTrials;
  readonly staffReads: StaffReads;
  readonly community: CommunityDirectory;
  readonly openCodes: OpenCodes;
  readonly replays: ReplayDirectory;
  readonly accountIdOf: (email: string) => string;
  readonly standInIdOf: (email: string, password: string) => string;
  readonly passwords: Passwords;
  readonly codeOf: VerificationCodeOf;
  readonly unsubscribeTokens: UnsubscribeTokens;
  readonly statementTokens: StatementTokens;
  readonly adminEmail: string | null;
  /** Whether what a role allows waits for two-step sign-in. */
  readonly staffTwoStep: boolean;
  readonly exposeCodes: boolean;
  /** Aborts when the process is told to stop. */
  readonly stopping?: AbortSignal;
  readonly log: Logger;
}

/** The calls that write, to be mounted at `/api`. What is not one of them falls through. */
export function createCommandApi(deps: CommandApiDependencies): Router {
  const router = Router();
  router.use('/auth', authRoutes(deps));
  router.use('/ads', adRoutes(deps), reviewRoutes(deps));
  router.use('/uploads', uploadRoutes(deps));
  router.use('/favorites', favoriteRoutes(deps));
  router.use('/community', communityRoutes(deps), unsubscribeRoutes(deps));
  router.use('/account/erasure', erasureRoutes(deps));
  router.use('/consents', consentRoutes(deps));
  router.use('/reports', reportRoutes(deps));
  router.use('/account/decisions', appealRoutes(deps));
  router.use('/admin/moderation/cases', caseRoutes(deps));
  router.use('/admin/projections', projectionRoutes(deps));
  router.use('/admin', adminRoutes(deps), roleRoutes(deps), personAdminRoutes(deps));
  router.use('/admin/community/threads', moderationRoutes(deps));
  router.use('/admin/jobs', jobRoutes(deps));
  router.use('/admin/rules', ruleRoutes(deps));
  router.use('/account', identityRoutes(deps));
  router.use('/admin', identityDecisionRoutes(deps));
  router.use('/admin/blog', blogRoutes(deps));
  return router;
}
export { fingerprintOf } from './routes/community/fingerprint.ts';
