import type { RequestHandler, Response } from 'express';
import { beforeResponse } from './before-response.ts';
import { toNetworkKey } from './client-address.ts';
import { LOGIN_DELAY } from './rate-limit-rules.ts';
import { createLimitError, getEmail, type RateLimitDependencies } from './rate-limits.ts';

/**
 * Marks a login as successful, which ends the login delay of its e-mail address. Must be called only for accounts with
 * a verified address. A sign-up with an existing address creates a stand-in account, to which its creator can log in
 * (decision 0022). Such a login must not end the delay, because its creator could then continue to guess the password
 * of the actual account.
 */
export function markEndOfLoginDelay(res: Response): void {
  res.locals['endsLoginDelay'] = true;
}

/**
 * Creates a handler that delays logins with the same e-mail address after failed logins. Failures from one network
 * address delay only logins from this network address. Failures from all network addresses together delay all logins,
 * but only after many more failures. During the delay, a login fails with LOGIN_DELAYED and `Retry-After`.
 * `markEndOfLoginDelay` ends the delay. An attempt counts as failed from its start, so that parallel attempts cannot
 * bypass the delay. E-mail addresses without an account are delayed in the same way.
 */
export function createLoginDelay({
  counters,
  createAccountId,
  hashKey,
}: Pick<RateLimitDependencies, 'counters' | 'createAccountId' | 'hashKey'>): RequestHandler {
  const failures = (id: string) => `login-failures:${id}`;
  const gate = (id: string) => `login-gate:${id}`;

  /** Counts an attempt as failed. Throws LOGIN_DELAYED during a delay, and if a parallel attempt starts a delay. */
  async function countAttempt({ id, freeFailures }: DelayScope): Promise<void> {
    const activeDelay = await counters.find(gate(id));
    if (activeDelay && activeDelay.left_ms > 0) throw createLimitError(activeDelay.left_ms, 'LOGIN_DELAYED');
    const { count } = await counters.add(failures(id), 1, LOGIN_DELAY.window_s);
    const delay_s = computeDelay(count, freeFailures);
    if (delay_s === 0) return;
    // The first login after the delay starts the next delay, so other parallel logins are rejected.
    const attempts = await counters.add(gate(id), 1, delay_s);
    if (attempts.count > 1) throw createLimitError(attempts.left_ms, 'LOGIN_DELAYED');
  }

  /** Ends the effect of an attempt that has not failed. */
  async function undoAttempt({ id }: DelayScope): Promise<void> {
    await Promise.all([counters.add(failures(id), -1, LOGIN_DELAY.window_s), counters.reset(gate(id))]);
  }

  return async (req, res, next) => {
    const email = getEmail(req);
    if (email === null) {
      next();
      return;
    }
    const accountId = createAccountId(email);
    const scopes: readonly [DelayScope, DelayScope] = [
      { id: hashKey(`${accountId} ${toNetworkKey(req.ip)}`), freeFailures: LOGIN_DELAY.freeFailures },
      { id: accountId, freeFailures: LOGIN_DELAY.freeFailuresOfAllNetworks },
    ];
    const [network, allNetworks] = scopes;
    // The limit of the network comes first. Attempts that it rejects therefore do not delay clients in other networks.
    await countAttempt(network);
    await countAttempt(allNetworks).catch(async (error: unknown) => {
      await undoAttempt(network);
      throw error;
    });
    beforeResponse(res, async () => {
      if (res.locals['endsLoginDelay'] === true)
        await Promise.all(scopes.flatMap(({ id }) => [counters.reset(failures(id)), counters.reset(gate(id))]));
      else if (res.statusCode !== 401) await Promise.all(scopes.map(undoAttempt));
    });
    next();
  };
}

/** The failed logins that are counted together. */
interface DelayScope {
  readonly id: string;
  /** The number of failures without a delay. */
  readonly freeFailures: number;
}

/** Returns the login delay in seconds after a number of failed logins, of which `freeFailures` cause no delay. */
export function computeDelay(failures: number, freeFailures: number): number {
  const { first_s, max_s } = LOGIN_DELAY;
  return failures < freeFailures ? 0 : Math.min(first_s * 2 ** (failures - freeFailures), max_s);
}
