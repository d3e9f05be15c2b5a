import { Router, type RequestHandler } from 'express';
import type { Counters } from '../adapters/requests/counters.ts';
import { handleIdempotencyKey, hasIdempotencyKey, type IdempotencyDependencies } from './idempotency.ts';
import { parseJsonBody } from './json-body.ts';
import { needsEmail, isLogin } from './rate-limit-rules.ts';
import { createLoginDelay } from './login-delay.ts';
import { provideOwnWrites, type OwnWriteDependencies } from './own-writes.ts';
import { providePositions } from './position-headers.ts';
import { findOperation } from './request-operation.ts';
import { createRateLimiter, createReadLimit, type RateLimitDependencies } from './rate-limits.ts';

export interface RequestGuardDependencies
  extends IdempotencyDependencies,
    OwnWriteDependencies,
    Omit<RateLimitDependencies, 'counters'> {
  /** The counters for rate limits. If null, requests are not limited. */
  readonly counters: Counters | null;
}

/**
 * Returns the middleware that runs before every operation of the API. It checks the rate limits, the login delay and
 * idempotency keys, in this order. Must be mounted at `/api`.
 */
export function createRequestGuards(deps: RequestGuardDependencies): Router {
  const { counters } = deps;
  const router = Router();
  router.use(providePositions(deps.positionTokens), provideOwnWrites(deps));
  if (counters) {
    router.use(when((req) => needsEmail(findOperation(req)), parseJsonBody));
    router.use(createRateLimiter({ ...deps, counters }));
    router.use(when((req) => isLogin(findOperation(req)), createLoginDelay({ ...deps, counters })));
  }
  router.use(when(hasIdempotencyKey, parseJsonBody));
  router.use(when(hasIdempotencyKey, handleIdempotencyKey(deps)));
  return router;
}

/**
 * Returns the middleware that limits read requests outside the API. Mount it at the paths of public files, e.g. at
 * `/uploads`. The requests are not counted together with requests of the API.
 */
export function createReadGuard({ counters }: Pick<RequestGuardDependencies, 'counters'>): RequestHandler {
  const countRead = createReadLimit();
  return (req, _res, next) => {
    if (counters) countRead(req.ip);
    next();
  };
}

/** Returns a handler that runs only for requests that match `condition`. */
function when(condition: (req: Parameters<RequestHandler>[0]) => boolean, handler: RequestHandler): RequestHandler {
  return (req, res, next) => (condition(req) ? handler(req, res, next) : next());
}
