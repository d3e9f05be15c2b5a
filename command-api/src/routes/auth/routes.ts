import { Router } from 'express';
import type { AuthDependencies } from './dependencies.ts';
import { passwordRoutes } from './password.ts';
import { profileRoutes } from './profile.ts';
import { sessionRoutes } from './sessions.ts';
import { signUpRoutes } from './sign-up.ts';
import { twoStepRoutes } from './two-step.ts';
import { verificationRoutes } from './verification.ts';

/** `/auth/*` of the specification, section 7. */
export function authRoutes(deps: AuthDependencies): Router {
  return Router().use(
    signUpRoutes(deps),
    sessionRoutes(deps),
    verificationRoutes(deps),
    passwordRoutes(deps),
    twoStepRoutes(deps),
    profileRoutes(deps),
  );
}
