import { createOperationRouter, type OperationRouter } from '@alpenglow/infra';
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
export { computeFingerprint } from './routes/community/fingerprint.ts';
