import { Router } from 'express';
import { followRoutes } from './follows.ts';
import { postRoutes } from './posts.ts';
import { previewRoutes } from './preview.ts';
import type { CommunityDependencies } from './requests.ts';
import { threadRoutes } from './threads.ts';

/** The calls of the community that write, to be mounted at `/community`. */
export function communityRoutes(deps: CommunityDependencies): Router {
  const router = Router();
  router.use('/threads', threadRoutes(deps), postRoutes(deps), followRoutes(deps));
  router.use('/preview', previewRoutes(deps));
  return router;
}
