import type { RequestHandler, Response } from 'express';
import { beforeResponse } from './before-response.ts';
import { LOGIN_DELAY } from './rate-limit-rules.ts';
import { createLimitError, getEmail, toEmailKeys, type CountedKey, type RateLimitDependencies } from './rate-limits.ts';

/**
 * Marks a login as successful, which ends the login delay of its e-mail address. Must be called only for accounts with
 * a verified address. A sign-up with the address of a verified account creates a stand-in account, to which its creator
 * can log in (decision 0055). Such a login must not end the delay, because its creator could then continue to guess the
 * password of the actual account.
 */
export function markEndOfLoginDelay(res: Response): void {
  res.locals['endsLoginDelay'] = true;
}

/**
 * Returns true if a login also requires a mailed code, because there were many failed logins with this e-mail address
 * (R-10.18).
 */
export function requiresLoginCode(res: Response): boolean {
  return res.locals['requiresLoginCode'] === true;
}

/**
 * Creates a handler that delays logins with the same e-mail address after failed logins. Failures from one network
 * address delay only logins from this network address. During the delay, a login fails with LOGIN_DELAYED and
 * `Retry-After`. After many failures from all network addresses together, each login also requires a mailed code. The
 * failures of other clients have no effect on a browser that has logged in before. `markEndOfLoginDelay` ends the
 * delay. An attempt counts as failed from its start, so that parallel attempts cannot bypass the delay. E-mail
 * addresses without an account are delayed in the same way.
 */
export function createLoginDelay({
  counters,
  createAccountId,
  hashKey,
  browsers,
}: Pick<RateLimitDependencies, 'counters' | 'createAccountId' | 'hashKey' | 'browsers'>): RequestHandler {
  const failures = (id: string) => `login-failures:${id}`;
  const gate = (id: string) => `login-gate:${id}`;

  /** Counts an attempt as failed. Throws LOGIN_DELAYED during a delay, and if a parallel attempt starts a delay. */
  async function countAttempt({ key, max: freeFailures }: CountedKey): Promise<void> {
    const activeDelay = await counters.find(gate(key), 'reject');
    if (activeDelay && activeDelay.left_ms > 0) throw createLimitError(activeDelay.left_ms, 'LOGIN_DELAYED');
    const { count } = await counters.add(failures(key), 1, LOGIN_DELAY.window_s, 'reject');
    const delay_s = computeDelay(count, freeFailures);
    if (delay_s === 0) return;
    // The first login after the delay starts the next delay, so other parallel logins are rejected.
    const attempts = await counters.add(gate(key), 1, delay_s, 'reject');
    if (attempts.count > 1) throw createLimitError(attempts.left_ms, 'LOGIN_DELAYED');
  }

  /** Counts an attempt for all keys. If one of them is delayed, the attempt does not count for the earlier ones. */
  async function countAttempts(keys: readonly CountedKey[]): Promise<void> {
    const counted: CountedKey[] = [];
    try {
      for (const each of keys) {
        await countAttempt(each);
        counted.push(each);
      }
    } catch (error) {
      await Promise.all(counted.map(undoAttempt));
      throw error;
    }
  }

  /** Ends the effect of an attempt that has not failed. */
  async function undoAttempt({ key }: Pick<CountedKey, 'key'>): Promise<void> {
    await Promise.all([counters.add(failures(key), -1, LOGIN_DELAY.window_s), counters.reset(gate(key))]);
  }

  return async (req, res, next) => {
    const email = getEmail(req);
    if (email === null) {
      next();
      return;
    }
    const accountId = createAccountId(email);
    const known = browsers.findKnown(req, accountId);
    const { freeFailures, freeFailuresOfAllNetworks } = LOGIN_DELAY;
    const delayed =
      known === null
        ? toEmailKeys(accountId, req, freeFailures, hashKey)
        : [{ key: hashKey(`${accountId} ${known}`), max: freeFailures }];
    await countAttempts(delayed);
    const keys = known === null ? [...delayed, { key: accountId }] : delayed;
    if (known === null) {
      const { count } = await counters.add(failures(accountId), 1, LOGIN_DELAY.window_s, 'reject');
      if (count > freeFailuresOfAllNetworks) res.locals['requiresLoginCode'] = true;
    }
    beforeResponse(res, async () => {
      if (res.locals['endsLoginDelay'] === true)
        await Promise.all(keys.flatMap(({ key }) => [counters.reset(failures(key)), counters.reset(gate(key))]));
      else if (res.statusCode !== 401) await Promise.all(keys.map(undoAttempt));
    });
    next();
  };
}

/** Returns the login delay in seconds after a number of failed logins, of which `freeFailures` cause no delay. */
export function computeDelay(failures: number, freeFailures: number): number {
  const { first_s, max_s } = LOGIN_DELAY;
  return failures < freeFailures ? 0 : Math.min(first_s * 2 ** (failures - freeFailures), max_s);
}
