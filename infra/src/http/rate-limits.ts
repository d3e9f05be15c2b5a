import { DomainError } from '@alpenglow/domain';
import type { Request, RequestHandler } from 'express';
import type { Counters } from '../adapters/requests/counters.ts';
import type { Authentication } from './authentication.ts';
import { networkOf } from './client-address.ts';
import { limitsOf, READS, type Limit } from './limits.ts';

export interface RateLimitDependencies {
  readonly counters: Counters;
  readonly authentication: Authentication;
  /** A keyed hash, so that neither addresses nor e-mails stand in the counts. */
  readonly keyOf: (text: string) => string;
  /** An e-mail address's id, known or not. */
  readonly accountIdOf: (email: string) => string;
}

/** Refuses with RATE_LIMITED, and `Retry-After`, what comes more often than `limits.ts` allows. To be mounted at `/api`, after the bodies of calls about an e-mail address are read. */
export function rateLimits({ counters, authentication, keyOf, accountIdOf }: RateLimitDependencies): RequestHandler {
  const countRead = createReadLimit();

  async function ownerOf(limit: Limit, req: Request): Promise<string | null> {
    switch (limit.per) {
      case 'address':
        return keyOf(networkOf(req.ip));
      case 'account': {
        // A wrong token is the route's to refuse.
        const principal = await authentication.optional(req).catch(() => null);
        return principal?.account.accountId ?? keyOf(networkOf(req.ip));
      }
      case 'email': {
        const email = emailOf(req);
        return email === null ? null : accountIdOf(email);
      }
    }
  }

  async function count(req: Request, limits: readonly Limit[]): Promise<void> {
    for (const limit of limits) {
      const owner = await ownerOf(limit, req);
      if (owner === null) continue;
      const { count: calls, left_ms } = await counters.add(`${limit.name}:${owner}`, 1, limit.window_s);
      if (calls > limit.max) throw tooMany(left_ms);
    }
  }

  return (req, _res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD') countRead(req.ip);
    const limits = limitsOf(req.method, req.path);
    if (limits.length === 0) next();
    else count(req, limits).then(() => next(), next);
  };
}

/** The e-mail address in a body that was read, or null. */
export function emailOf(req: Request): string | null {
  const { email } = (req.body ?? {}) as { email?: unknown };
  return typeof email === 'string' && email.trim() !== '' ? email : null;
}

function tooMany(left_ms: number): DomainError {
  const seconds = Math.max(1, Math.ceil(left_ms / 1000));
  return new DomainError('RATE_LIMITED', { seconds }, seconds);
}

/** Counts reads by address in this process, all in one window, so that there is nothing to clean up but the whole. */
function createReadLimit(): (address: string | undefined) => void {
  const window_ms = READS.window_s * 1000;
  const counts = new Map<string, number>();
  let ends_ms = 0;
  return (address = '') => {
    const now_ms = Date.now();
    if (now_ms >= ends_ms) {
      counts.clear();
      ends_ms = now_ms + window_ms;
    }
    const network = networkOf(address);
    const calls = (counts.get(network) ?? 0) + 1;
    counts.set(network, calls);
    if (calls > READS.max) throw tooMany(ends_ms - now_ms);
  };
}
