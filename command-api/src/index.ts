import type { AdDirectory, Authentication, CommandHandler, Logger, OpenCodes, Passwords, Sessions } from '@alpenglow/infra';
import type { BlobStore, VerificationCodeOf } from '@alpenglow/domain';
import { Router } from 'express';
import { adminRoutes } from './routes/admin.ts';
import { adRoutes } from './routes/ads.ts';
import { authRoutes } from './routes/auth/routes.ts';
import { favoriteRoutes } from './routes/favorites.ts';
import { reviewRoutes } from './routes/reviews.ts';
import { uploadRoutes } from './uploads/routes.ts';

export interface CommandApiDependencies {
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
  readonly sessions: Sessions;
  readonly authentication: Authentication;
  readonly ads: AdDirectory;
  readonly openCodes: OpenCodes;
  readonly accountIdOf: (email: string) => string;
  readonly standInIdOf: (email: string, password: string) => string;
  readonly passwords: Passwords;
  readonly codeOf: VerificationCodeOf;
  readonly adminEmail: string | null;
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
  router.use('/admin', adminRoutes(deps));
  return router;
}
