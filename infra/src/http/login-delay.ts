import { DomainError } from '@alpenglow/domain';
import type { RequestHandler, Response } from 'express';
import type { Counters } from '../adapters/requests/counters.ts';
import { beforeAnswering } from './before-answering.ts';
import { LOGIN_DELAY } from './limits.ts';
import { emailOf } from './rate-limits.ts';

export interface LoginDelayDependencies {
  readonly counters: Counters;
  /** An e-mail address's id, whether it has an account or not: both are delayed alike. */
  readonly accountIdOf: (email: string) => string;
}

/**
 * Has this login, of an account whose owner is known to have the address, end the delay. Another one must not: whoever signs up with the
 * address of an account can sign in to what stands in for it (decision 0022), and would be free to guess on.
 */
export function endsLoginDelay(res: Response): void {
  res.locals['endsLoginDelay'] = true;
}

/**
 * Makes logins for one e-mail address wait longer with every failure, whoever tries: refused with LOGIN_DELAYED and `Retry-After`. A login
 * that `endsLoginDelay` ends it. An attempt counts as failed from its start, so that many at once gain nothing.
 */
export function loginDelay({ counters, accountIdOf }: LoginDelayDependencies): RequestHandler {
  return async (req, res, next) => {
    const email = emailOf(req);
    if (email === null) {
      next();
      return;
    }
    const id = accountIdOf(email);
    const failures = `login-failures:${id}`;
    const gate = `login-gate:${id}`;
    const closed = await counters.find(gate);
    if (closed && closed.left_ms > 0) throw delayed(closed.left_ms);
    const { count } = await counters.add(failures, 1, LOGIN_DELAY.window_s);
    const delay_s = delayAfter(count);
    if (delay_s > 0) {
      // The first through the gate closes it.
      const passed = await counters.add(gate, 1, delay_s);
      if (passed.count > 1) throw delayed(passed.left_ms);
    }
    beforeAnswering(res, async () => {
      if (res.locals['endsLoginDelay'] === true) await Promise.all([counters.forget(failures), counters.forget(gate)]);
      else if (res.statusCode !== 401)
        await Promise.all([counters.add(failures, -1, LOGIN_DELAY.window_s), counters.forget(gate)]);
    });
    next();
  };
}

/** Seconds to wait after this many failures in a row. */
export function delayAfter(failures: number): number {
  const { freeFailures, first_s, longest_s } = LOGIN_DELAY;
  return failures < freeFailures ? 0 : Math.min(first_s * 2 ** (failures - freeFailures), longest_s);
}

function delayed(left_ms: number): DomainError {
  const seconds = Math.max(1, Math.ceil(left_ms / 1000));
  return new DomainError('LOGIN_DELAYED', { seconds }, seconds);
}
