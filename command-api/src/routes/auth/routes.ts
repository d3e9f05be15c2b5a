import { createOperationRouter, type OperationRouter } from '@alpenglow/infra';
import type { AuthDependencies } from './dependencies.ts';
import { passwordRoutes } from './password.ts';
import { profileRoutes } from './profile.ts';
import { sessionRoutes } from './sessions.ts';
import { sessionListRoutes } from './session-list.ts';
import { signUpRoutes } from './sign-up.ts';
import { twoStepRoutes } from './two-step.ts';
import { verificationRoutes } from './verification.ts';

/** Returns the routes of `/auth/*` (R-7.5 to R-7.16). */
export function authRoutes(deps: AuthDependencies): OperationRouter {
  return createOperationRouter().include(
    signUpRoutes(deps),
    sessionRoutes(deps),
    sessionListRoutes(deps),
    verificationRoutes(deps),
    passwordRoutes(deps),
    twoStepRoutes(deps),
    profileRoutes(deps),
  );
}
