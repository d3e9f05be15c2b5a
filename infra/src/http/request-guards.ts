import { Router, type RequestHandler } from 'express';
import type { KeptAnswers } from '../adapters/postgres/kept-answers.ts';
import type { Counters } from '../adapters/requests/counters.ts';
import type { Logger } from '../logger.ts';
import type { StatementTokens } from '../statement-tokens.ts';
import type { Authentication } from './authentication.ts';
import { idempotent, isKeyed } from './idempotency.ts';
import { jsonBody } from './json-body.ts';
import { isAboutEmail, isLogin } from './limits.ts';
import { loginDelay } from './login-delay.ts';
import { rateLimits } from './rate-limits.ts';

export interface RequestGuardDependencies {
  /** Null: nothing is limited. */
  readonly counters: Counters | null;
  readonly answers: KeptAnswers;
  readonly authentication: Authentication;
  readonly statementTokens: StatementTokens;
  readonly keyOf: (text: string) => string;
  readonly accountIdOf: (email: string) => string;
  readonly log: Logger;
}

/** What stands before every call of the API, in this order: limits on rates, the delay of logins, Idempotency-Keys. To be mounted at `/api`. */
export function requestGuards(deps: RequestGuardDependencies): Router {
  const { counters } = deps;
  const router = Router();
  if (counters) {
    router.use(when((req) => isAboutEmail(req.method, req.path), jsonBody));
    router.use(rateLimits({ ...deps, counters }));
    router.use(when((req) => isLogin(req.method, req.path), loginDelay({ ...deps, counters })));
  }
  router.use(when(isKeyed, jsonBody));
  router.use(when(isKeyed, idempotent(deps)));
  return router;
}

/** A handler for those requests alone of which `concerns` holds. */
function when(concerns: (req: Parameters<RequestHandler>[0]) => boolean, handler: RequestHandler): RequestHandler {
  return (req, res, next) => (concerns(req) ? handler(req, res, next) : next());
}
