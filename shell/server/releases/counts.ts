/** The counts with which builds of remotes are compared: those since a comparison began (decision 0122). */
import type { ResponseOf } from '@alpenglow/domain/contracts';
import type { RemoteName } from '@alpenglow/ui/contract';
import type { Comparison, ReportedCounts } from '../../build/registry.mjs';
import type { Share } from './compare-builds.ts';

export type Deployments = ResponseOf<'getFrontEndStatistics'>['data']['deployments'];

/** The days before a live deployment whose views of the build before are counted. Each weekday occurs once. */
const BEFORE_days = 7;
const DAY_ms = 86_400_000;

const NO_COUNTS: ReportedCounts = { views: { all: 0, bad: 0 }, lcp: [], inp: [] };

/** Returns the counts of a build in the statistics of the reports. */
export function countsIn(deployments: Deployments, name: RemoteName, hash: string): ReportedCounts {
  const found = deployments.find((one) => one.frontEnd === name && one.hash === hash);
  const rangesOf = (vital: 'lcp' | 'inp') => found?.vitals.find((one) => one.vital === vital)?.ranges ?? [];
  return {
    views: { all: found?.views.started ?? 0, bad: found?.views.failed ?? 0 },
    lcp: rangesOf('lcp'),
    inp: rangesOf('inp'),
  };
}

/** Returns what was added to a share since an earlier time. */
export const shareSince = (now: Share, earlier: Share): Share => ({
  all: Math.max(0, now.all - earlier.all),
  bad: Math.max(0, now.bad - earlier.bad),
});

/** Returns what was added to the counts of a build since an earlier time. */
export function countsSince(now: ReportedCounts, earlier: ReportedCounts): ReportedCounts {
  const rangesSince = (ranges: readonly number[], before: readonly number[]) =>
    ranges.map((count, index) => Math.max(0, count - (before[index] ?? 0)));
  return {
    views: shareSince(now.views, earlier.views),
    lcp: rangesSince(now.lcp, earlier.lcp),
    inp: rangesSince(now.inp, earlier.inp),
  };
}

/** Returns the first day (UTC) of the reports that a comparison needs. */
export function firstDayOf(isCanary: boolean, now: Date): string {
  return new Date(now.getTime() - (isCanary ? 0 : BEFORE_days * DAY_ms)).toISOString().slice(0, 10);
}

/**
 * Returns the beginning of a comparison. Both builds of a canary are in use from then on, so only later views count.
 * After a live deployment, the build before is hardly used, so its views of the days before count.
 */
export function beginComparison(
  deployments: Deployments,
  { name, hash, before, isCanary }: { name: RemoteName; hash: string; before: string; isCanary: boolean },
  now: Date,
): Comparison {
  return {
    startedAt: now.toISOString(),
    firstDay: firstDayOf(isCanary, now),
    before,
    counts: {
      build: countsIn(deployments, name, hash),
      before: isCanary ? countsIn(deployments, name, before) : NO_COUNTS,
    },
  };
}
