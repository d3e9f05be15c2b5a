import { DomainError, formatWait } from '@alpenglow/domain/contracts';
import { toNetworkKey } from '@alpenglow/infra';
import type { Request } from 'express';

/**
 * Maximum number of error reports per minute and network. One page sends fewer reports, even if all its remotes fail.
 */
const REPORTS_PER_MINUTE = 120;
const MAX_NETWORKS = 10_000;
const MINUTE_ms = 60_000;

/**
 * Creates a function that throws RATE_LIMITED if a network sends too many reports. All networks share one time window,
 * so the whole map is cleared when the window ends.
 */
export function createReportLimit(): (req: Request) => void {
  const counts = new Map<string, number>();
  let ends_ms = 0;
  return ({ ip }) => {
    const now_ms = Date.now();
    if (now_ms >= ends_ms) {
      counts.clear();
      ends_ms = now_ms + MINUTE_ms;
    }
    const network = toNetworkKey(ip);
    const reports = (counts.get(network) ?? 0) + 1;
    if (counts.size < MAX_NETWORKS || counts.has(network)) counts.set(network, reports);
    const seconds = Math.max(1, Math.ceil((ends_ms - now_ms) / 1000));
    if (reports > REPORTS_PER_MINUTE) throw new DomainError('RATE_LIMITED', { left: formatWait(seconds) }, seconds);
  };
}
