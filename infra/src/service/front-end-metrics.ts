import { VITAL_LIMITS, type FrontEnd, type FrontEndErrorKind, type Vital } from '@alpenglow/domain';
import { registerForgettingCounter, registerHistogram, type Metrics } from './metrics.ts';

export type FrontEndMetrics = ReturnType<typeof createFrontEndMetrics>;

/**
 * Maximum number of builds per front end that a metric shows separately, because a client can invent builds. A further
 * build replaces the one whose last error is oldest. `/status/front-ends` shows the values of each deployment.
 */
const BUILDS_MAX = 10;

/** Registers the metrics of errors and speeds that browsers have reported. */
export function createFrontEndMetrics(registry: Metrics) {
  const countError = registerForgettingCounter(
    registry,
    'front_end_errors_total',
    'Errors of front ends that browsers have reported',
    ['front_end', 'build', 'kind'],
  );
  /** The builds of each front end, the one with the newest error last, with the kinds of their errors. */
  const builds = new Map<FrontEnd, Map<string, Set<FrontEndErrorKind>>>();
  const forgetOldest = (front_end: FrontEnd, known: Map<string, Set<FrontEndErrorKind>>) => {
    const [build = '', kinds = new Set<FrontEndErrorKind>()] = known.entries().next().value ?? [];
    known.delete(build);
    for (const kind of kinds) countError.forget({ front_end, build, kind });
  };
  const label = ['front_end'] as const;
  const inSeconds = (limits: readonly number[]) => limits.map((limit_ms) => limit_ms / 1_000);
  const observeLcp = registerHistogram(
    registry,
    'front_end_largest_contentful_paint_seconds',
    'Largest contentful paint of page views',
    label,
    inSeconds(VITAL_LIMITS.lcp),
  );
  const observeInp = registerHistogram(
    registry,
    'front_end_interaction_to_next_paint_seconds',
    'Interaction to next paint of page views',
    label,
    inSeconds(VITAL_LIMITS.inp),
  );
  const observeCls = registerHistogram(
    registry,
    'front_end_layout_shift',
    'Cumulative layout shift of page views',
    label,
    VITAL_LIMITS.cls,
  );
  return {
    countError(front_end: FrontEnd, hash: string, kind: FrontEndErrorKind): void {
      const known = builds.get(front_end) ?? new Map<string, Set<FrontEndErrorKind>>();
      builds.set(front_end, known);
      const kinds = known.get(hash) ?? new Set();
      known.delete(hash);
      known.set(hash, kinds.add(kind));
      if (known.size > BUILDS_MAX) forgetOldest(front_end, known);
      countError.count({ front_end, build: hash, kind });
    },
    observeVital(front_end: FrontEnd, vital: Vital, value: number): void {
      if (vital === 'lcp') observeLcp({ front_end }, value / 1_000);
      else if (vital === 'inp') observeInp({ front_end }, value / 1_000);
      else observeCls({ front_end }, value);
    },
  };
}
