import type { RequestHandler, Response } from 'express';
import { beforeResponse } from './before-response.ts';
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
 * Creates a handler that delays logins with the same e-mail address. Every failed login increases the delay, regardless
 * of the client. During the delay, a login fails with LOGIN_DELAYED and `Retry-After`. `markEndOfLoginDelay` ends the
 * delay. An attempt counts as failed from its start, so that parallel attempts cannot bypass the delay. Addresses
 * without an account are delayed in the same way.
 */
export function createLoginDelay({
  counters,
  createAccountId,
}: Pick<RateLimitDependencies, 'counters' | 'createAccountId'>): RequestHandler {
  return async (req, res, next) => {
    const email = getEmail(req);
    if (email === null) {
      next();
      return;
    }
    const id = createAccountId(email);
    const failuresKey = `login-failures:${id}`;
    const delayKey = `login-gate:${id}`;
    const activeDelay = await counters.find(delayKey);
    if (activeDelay && activeDelay.left_ms > 0) throw createLimitError(activeDelay.left_ms, 'LOGIN_DELAYED');
    const { count } = await counters.add(failuresKey, 1, LOGIN_DELAY.window_s);
    const delay_s = computeDelay(count);
    if (delay_s > 0) {
      // The first login after the delay starts the next delay, so other parallel logins are rejected.
      const attempts = await counters.add(delayKey, 1, delay_s);
      if (attempts.count > 1) throw createLimitError(attempts.left_ms, 'LOGIN_DELAYED');
    }
    beforeResponse(res, async () => {
      if (res.locals['endsLoginDelay'] === true)
        await Promise.all([counters.reset(failuresKey), counters.reset(delayKey)]);
      else if (res.statusCode !== 401)
        await Promise.all([counters.add(failuresKey, -1, LOGIN_DELAY.window_s), counters.reset(delayKey)]);
    });
    next();
  };
}

/** Returns the login delay in seconds after a number of consecutive failed logins. */
export function computeDelay(failures: number): number {
  const { freeFailures, first_s, max_s } = LOGIN_DELAY;
  return failures < freeFailures ? 0 : Math.min(first_s * 2 ** (failures - freeFailures), max_s);
}
