import { Router } from 'express';
import { followRoutes } from './follows.ts';
import { postRoutes } from './posts.ts';
import { previewRoutes } from './preview.ts';
import type { CommunityDependencies } from './requests.ts';
import { threadRoutes } from './threads.ts';

/** Returns the routes of the community operations that change data. */
export function communityRoutes(deps: CommunityDependencies): Router {
  return Router().use(threadRoutes(deps), postRoutes(deps), followRoutes(deps), previewRoutes(deps));
}
