import type { Logger } from '../service/logger.ts';
import { registerCounter, type Metrics } from '../service/metrics.ts';
import { ALARM_LIMITS } from './rate-limit-rules.ts';
import type { RateLimitDependencies } from './rate-limits.ts';

/**
 * Creates the function that counts rejected requests in the metric `rate_limited_requests_total`. For limits that
 * people rarely reach, it also logs one warning per client and time window. Neither identifies the client.
 */
export function createLimitRecorder(metrics: Metrics, log: Logger): RateLimitDependencies['recordLimited'] {
  const name = 'rate_limited_requests_total';
  const alarms = ALARM_LIMITS.map((limit) => ({ limit }));
  const count = registerCounter(metrics, name, 'Requests above a rate limit', ['limit'], alarms);
  return (limit, isFirst) => {
    count({ limit: limit.name });
    if (limit.isAlarm === true && isFirst) log.warn({ alarm: limit.name }, 'a client has reached a rate limit');
  };
}
