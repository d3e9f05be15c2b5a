import { DomainError } from '@alpenglow/domain';
import type { Request, RequestHandler } from 'express';
import type { Counters } from '../adapters/requests/counters.ts';
import type { Authentication } from './authentication.ts';
import { toNetworkKey } from './client-address.ts';
import { findLimits, READ_LIMIT, type Limit } from './rate-limit-rules.ts';
import { findOperation, getPathBelowApi } from './request-operation.ts';

export interface RateLimitDependencies {
  readonly counters: Counters;
  readonly authentication: Authentication;
  /** Returns a keyed hash of a text. Counters use the hash, so that they contain no network addresses. */
  readonly hashKey: (text: string) => string;
  /** Returns the account id for an e-mail address, even if no such account exists. */
  readonly createAccountId: (email: string) => string;
}

/**
 * Creates a handler that rejects requests above the rate limits with RATE_LIMITED and `Retry-After`. Must be mounted at
 * `/api`. A body with an e-mail address must have been parsed before.
 */
export function createRateLimiter({
  counters,
  authentication,
  hashKey,
  createAccountId,
}: RateLimitDependencies): RequestHandler {
  const countRead = createReadLimit();

  /** Returns the counters of a limit with their maximum values. */
  async function findCounters(limit: Limit, req: Request): Promise<readonly { key: string; max: number }[]> {
    const { max } = limit;
    const network = toNetworkKey(req.ip);
    switch (limit.per) {
      case 'address':
        return [{ key: hashKey(network), max }];
      case 'account': {
        // An invalid token is ignored here, because the route rejects it.
        const principal = await authentication.findPrincipal(req).catch(() => null);
        return [{ key: principal?.account.accountId ?? hashKey(network), max }];
      }
      case 'email': {
        const email = getEmail(req);
        if (email === null) return [];
        const accountId = createAccountId(email);
        return [
          { key: hashKey(`${accountId} ${network}`), max },
          { key: accountId, max: limit.maxOfAllNetworks ?? max },
        ];
      }
    }
  }

  async function checkLimits(req: Request, limits: readonly Limit[]): Promise<void> {
    for (const limit of limits) {
      for (const { key, max } of await findCounters(limit, req)) {
        const { count: requests, left_ms } = await counters.add(`${limit.name}:${key}`, 1, limit.window_s);
        if (requests > max) throw createLimitError(left_ms);
      }
    }
  }

  return (req, _res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD') countRead(req.ip);
    const limits = findLimits(findOperation(req), req.method, getPathBelowApi(req.originalUrl));
    if (limits.length === 0) next();
    else checkLimits(req, limits).then(() => next(), next);
  };
}

/** Returns the e-mail address in a parsed request body, or null if the body contains no address. */
export function getEmail(req: Request): string | null {
  const { email } = (req.body ?? {}) as { email?: unknown };
  return typeof email === 'string' && email.trim() !== '' ? email : null;
}

/** Returns an error that contains the time after which the client may try again. */
export function createLimitError(
  left_ms: number,
  code: 'RATE_LIMITED' | 'LOGIN_DELAYED' = 'RATE_LIMITED',
): DomainError {
  const seconds = Math.max(1, Math.ceil(left_ms / 1000));
  return new DomainError(code, { seconds }, seconds);
}

/**
 * Creates a function that counts the read requests of each network address in this process, and throws above the limit.
 * At the end of the time window, all counters are cleared together.
 */
function createReadLimit(): (address: string | undefined) => void {
  const window_ms = READ_LIMIT.window_s * 1000;
  const counts = new Map<string, number>();
  let ends_ms = 0;
  return (address = '') => {
    const now_ms = Date.now();
    if (now_ms >= ends_ms) {
      counts.clear();
      ends_ms = now_ms + window_ms;
    }
    const network = toNetworkKey(address);
    const requests = (counts.get(network) ?? 0) + 1;
    counts.set(network, requests);
    if (requests > READ_LIMIT.max) throw createLimitError(ends_ms - now_ms);
  };
}
