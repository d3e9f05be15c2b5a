import { DomainError, formatWait } from '@alpenglow/domain';
import type { Request, RequestHandler } from 'express';
import type { Counters, WhenUnknown } from '../adapters/requests/counters.ts';
import type { Authentication } from './authentication.ts';
import type { Browsers } from './browsers.ts';
import { limitByNetwork } from './client-address.ts';
import { findLimits, READ_LIMIT, type Limit } from './rate-limit-rules.ts';
import { findOperation, getPathBelowApi } from './request-operation.ts';

export interface RateLimitDependencies {
  readonly counters: Counters;
  readonly authentication: Authentication;
  /** Returns a keyed hash of a text. Counters use the hash, so that they contain no network addresses. */
  readonly hashKey: (text: string) => string;
  /** Returns the account id for an e-mail address, even if no such account exists. */
  readonly createAccountId: (email: string) => string;
  readonly browsers: Pick<Browsers, 'findKnown'>;
  /** Counts a rejected request. `isFirst` is true for the first one of a client in the current time window. */
  readonly recordLimited: (limit: Limit, isFirst: boolean) => void;
}

/** A counter of requests with its maximum value. */
export interface CountedKey {
  readonly key: string;
  readonly max: number;
  /** The result for a request while the count is unknown. By default, it follows from `isStrict` of the limit. */
  readonly whenUnknown?: WhenUnknown;
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
  browsers,
  recordLimited,
}: RateLimitDependencies): RequestHandler {
  const countRead = createReadLimit();

  /** Returns the counters of a limit with their maximum values. */
  async function findCounters(limit: Limit, req: Request): Promise<readonly CountedKey[]> {
    const { max } = limit;
    const byNetwork = () => limitByNetwork(req.ip, max).map((each) => ({ key: hashKey(each.network), max: each.max }));
    switch (limit.per) {
      case 'address':
        if (limit.isStrict !== 'after-first') return byNetwork();
        return [
          { key: await findPerson(req), max },
          ...byNetwork().map((each): CountedKey => ({ ...each, whenUnknown: 'start-at-0' })),
        ];
      case 'account': {
        // An invalid token is ignored here, because the route rejects it.
        const principal = await authentication.findPrincipal(req).catch(() => null);
        return principal ? [{ key: principal.account.accountId, max }] : byNetwork();
      }
      case 'email': {
        const email = getEmail(req);
        if (email === null) return [];
        const accountId = createAccountId(email);
        const known = browsers.findKnown(req, accountId);
        // A known browser of the account is counted separately, so that other clients cannot block it.
        if (known !== null) return [{ key: known, max }];
        const { ofAllNetworks } = limit;
        if (ofAllNetworks === undefined) return toEmailKeys(accountId, req, max, hashKey);
        const requests = (await counters.find(`${limit.name}:${accountId}`, whenUnknownOf(limit)))?.count ?? 0;
        const maxOfNetwork = requests < ofAllNetworks.free ? max : ofAllNetworks.maxOfNetwork;
        return [...toEmailKeys(accountId, req, maxOfNetwork, hashKey), { key: accountId, max: ofAllNetworks.max }];
      }
    }
  }

  /** Returns a key for the sender of a request: the account or, without one, the browser and its network. */
  async function findPerson(req: Request): Promise<string> {
    const principal = await authentication.findPrincipal(req).catch(() => null);
    if (principal) return principal.account.accountId;
    const networks = limitByNetwork(req.ip, 1).map(({ network }) => network);
    return hashKey(`${networks.join(' ')} ${req.get('user-agent') ?? ''}`);
  }

  async function checkLimits(req: Request, limits: readonly Limit[]): Promise<void> {
    for (const limit of limits) {
      for (const { key, max, whenUnknown = whenUnknownOf(limit) } of await findCounters(limit, req)) {
        const { count: requests, left_ms } = await counters.add(`${limit.name}:${key}`, 1, limit.window_s, whenUnknown);
        if (requests > max) {
          recordLimited(limit, requests === max + 1);
          throw createLimitError(left_ms, limit.error);
        }
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

const whenUnknownOf = ({ isStrict }: Limit): WhenUnknown =>
  isStrict === undefined ? 'start-at-0' : isStrict === 'after-first' ? 'only-first' : 'reject';

/**
 * Returns the counters for requests with the same e-mail address, of the client's subscriber and site. `max` applies to
 * one subscriber.
 */
export function toEmailKeys(
  accountId: string,
  req: Request,
  max: number,
  hashKey: RateLimitDependencies['hashKey'],
): readonly CountedKey[] {
  return limitByNetwork(req.ip, max).map((each) => ({ key: hashKey(`${accountId} ${each.network}`), max: each.max }));
}

/** Returns the e-mail address in a parsed request body, or null if the body contains no address. */
export function getEmail(req: Request): string | null {
  const { email } = (req.body ?? {}) as { email?: unknown };
  return typeof email === 'string' && email.trim() !== '' ? email : null;
}

/** Returns an error that contains the time after which the client may try again. */
export function createLimitError(
  left_ms: number,
  code: 'RATE_LIMITED' | 'LOGIN_DELAYED' | 'CONTACT_LIMIT_REACHED' = 'RATE_LIMITED',
): DomainError {
  const seconds = Math.max(1, Math.ceil(left_ms / 1000));
  return new DomainError(code, { left: formatWait(seconds), minutes: Math.ceil(seconds / 60) }, seconds);
}

/**
 * Creates a function that counts the read requests of each network address in this process, and throws above the limit.
 * At the end of the time window, all counters are cleared together.
 */
export function createReadLimit(): (address: string | undefined) => void {
  const window_ms = READ_LIMIT.window_s * 1000;
  const counts = new Map<string, number>();
  let ends_ms = 0;
  return (address = '') => {
    const now_ms = Date.now();
    if (now_ms >= ends_ms) {
      counts.clear();
      ends_ms = now_ms + window_ms;
    }
    for (const { network, max } of limitByNetwork(address, READ_LIMIT.max)) {
      const requests = (counts.get(network) ?? 0) + 1;
      counts.set(network, requests);
      if (requests > max) throw createLimitError(ends_ms - now_ms);
    }
  };
}
