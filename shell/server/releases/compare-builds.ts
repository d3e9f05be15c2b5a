/** Decides from the reports of browsers whether a build of a remote is worse than the one before (decision 0122). */
import { VITAL_LIMITS } from '@alpenglow/domain/contracts';
import type { ReportedCounts, Share } from '../../build/registry.mjs';

export type { Share } from '../../build/registry.mjs';

/**
 * What is known about a build: page loads that used it and those with an error, and measured page views by range of
 * values. The ranges are empty if none were measured.
 */
export interface BuildFigures extends ReportedCounts {
  /** Pages that this server has rendered with the build, and those that it could not render. */
  readonly rendering: Share;
}

/** What is compared: errors of page loads, two measures of speed, and failures of server rendering. */
type Measure = 'errors' | 'lcp' | 'inp' | 'rendering';

export interface Verdict {
  readonly measure: Measure;
  /** The observations of the compared build and of the build before. */
  readonly build: Share;
  readonly before: Share;
}

/**
 * A build counts as worse from this evidence on. If a build is not worse, its evidence ever reaches this number with a
 * probability of at most 1 in 10,000, no matter how often the builds are compared.
 */
const EVIDENCE_MIN = 10_000;
/**
 * The share of bad observations of a build may be this many times as large as that of the build before, without a
 * rollback. The factor is larger if the two builds were not in use at the same time, because visitors differ from day
 * to day.
 */
export const TOLERANCE = { atTheSameTime: 1.5, oneAfterTheOther: 2 } as const;
/**
 * The evidence is the mean of four comparisons. Each states how much better the observations agree with a share that is
 * larger by one of these factors. Small factors find small differences, and large ones find large differences early.
 */
const FACTORS = [2, 4, 10, 50] as const;
/** Nothing is compared before the build before has this number of observations. With fewer, its share is unknown. */
const BEFORE_MIN = 20;
/** A page view is slow beyond a limit. At most this share of the views of the build before is beyond it. */
const SLOW_SHARE = 0.1;
/** The build before needs this number of measured views, because the limit follows from them. */
const SLOW_BEFORE_MIN = 100;

/**
 * Returns the evidence that the share of bad observations is larger with a build than with the one before, by more than
 * the factor `tolerance`. If it were larger by exactly this factor, each bad observation would belong to the build with
 * a probability that follows from the numbers of observations (`expected`). If it were larger by one more factor of
 * `FACTORS`, this probability would be higher (`alternative`). The evidence states how many times as probable the
 * observations are with the alternatives. It is a likelihood ratio, so it may be computed after each observation (a
 * sequential test).
 */
export function computeEvidence(build: Share, before: Share, tolerance: number): number {
  const share = (factor: number) => {
    const weighted = factor * tolerance * build.all;
    return weighted / (weighted + before.all);
  };
  const expected = share(1);
  const ratios = FACTORS.map((factor) => {
    const alternative = share(factor);
    const log =
      Math.min(build.bad, build.all) * Math.log(alternative / expected) +
      before.bad * Math.log((1 - alternative) / (1 - expected));
    return Math.exp(Math.min(log, 700));
  });
  return ratios.reduce((sum, ratio) => sum + ratio, 0) / FACTORS.length;
}

/**
 * Returns the numbers of slow page views of two builds. The limit is the smallest one that at most 10 % of the views of
 * the build before exceed. Returns null if too few views were measured.
 */
function countSlow(build: readonly number[], before: readonly number[], limits: number) {
  const sum = (ranges: readonly number[], from = 0) => ranges.slice(from).reduce((total, count) => total + count, 0);
  const all = sum(before);
  if (all < SLOW_BEFORE_MIN) return null;
  for (let limit = 0; limit < limits; limit++) {
    if (sum(before, limit + 1) <= SLOW_SHARE * all)
      return {
        build: { all: sum(build), bad: sum(build, limit + 1) },
        before: { all, bad: sum(before, limit + 1) },
      };
  }
  return null;
}

/**
 * Compares a build with the one before. Returns why it is worse, or null if that is not certain. With a canary for 5 %
 * of all browsers, an error in each view is certain after 5 views of the canary, an error in every fourth view after
 * about 20 views, and a share of slow views of 50 % instead of 10 % after about 40 measured views.
 */
export function findWorse(build: BuildFigures, before: BuildFigures, tolerance: number): Verdict | null {
  const vitals = (['lcp', 'inp'] as const).flatMap((measure) => {
    const slow = countSlow(build[measure], before[measure], VITAL_LIMITS[measure].length);
    return slow ? [{ measure, ...slow }] : [];
  });
  const compared: readonly Verdict[] = [
    { measure: 'errors', build: build.views, before: before.views },
    { measure: 'rendering', build: build.rendering, before: before.rendering },
    ...vitals,
  ];
  return (
    compared.find(
      (one) =>
        one.build.all > 0 &&
        one.before.all >= BEFORE_MIN &&
        computeEvidence(one.build, one.before, tolerance) >= EVIDENCE_MIN,
    ) ?? null
  );
}

/** Returns a sentence that states why a build is worse, for the log and for the team. */
export function describeVerdict({ measure, build, before }: Verdict): string {
  const what = {
    errors: 'page loads with an error',
    lcp: 'slow page loads (largest content)',
    inp: 'slow page views (response to input)',
    rendering: 'pages that the server could not render',
  }[measure];
  return `${what}: ${build.bad} of ${build.all}, and ${before.bad} of ${before.all} with the build before`;
}
