import { createOperationRouter, type OperationRouter } from '@alpenglow/infra';
import { followRoutes } from './follows.ts';
import { postRoutes } from './posts.ts';
import { previewRoutes } from './preview.ts';
import type { CommunityDependencies } from './requests.ts';
import { threadRoutes } from './threads.ts';

/** Returns the routes of the community operations that change data. */
export function communityRoutes(deps: CommunityDependencies): OperationRouter {
  return createOperationRouter().include(threadRoutes(deps), postRoutes(deps), followRoutes(deps), previewRoutes(deps));
}
