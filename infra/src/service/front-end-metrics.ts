import {
  FRONT_END_ERRORS,
  VIEW_STATES,
  VITAL_LIMITS,
  type FrontEnd,
  type FrontEndErrorKind,
  type ViewState,
  type Vital,
} from '@alpenglow/domain';
import { registerForgettingCounter, registerHistogram, type Metrics } from './metrics.ts';

export type FrontEndMetrics = ReturnType<typeof createFrontEndMetrics>;

/**
 * Maximum number of builds per front end that the metrics show separately, because a client can invent builds. A
 * further build replaces the one whose last report is oldest. `/status/front-ends` shows the values of each deployment.
 */
const BUILDS_MAX = 10;

/** Registers the metrics of views, errors and speeds that browsers have reported. */
export function createFrontEndMetrics(registry: Metrics) {
  const views = registerForgettingCounter(
    registry,
    'front_end_views_total',
    'Page loads that began to load a build of a front end (started), and those with an error of it (failed)',
    ['front_end', 'build', 'state'],
  );
  const errors = registerForgettingCounter(
    registry,
    'front_end_errors_total',
    'Errors of front ends that browsers have reported',
    ['front_end', 'build', 'kind'],
  );
  const labels = ['front_end', 'build'] as const;
  const inSeconds = (limits: readonly number[]) => limits.map((limit_ms) => limit_ms / 1_000);
  const vitals = {
    lcp: registerHistogram(
      registry,
      'front_end_largest_contentful_paint_seconds',
      'Largest contentful paint of page views',
      labels,
      inSeconds(VITAL_LIMITS.lcp),
    ),
    inp: registerHistogram(
      registry,
      'front_end_interaction_to_next_paint_seconds',
      'Interaction to next paint of page views',
      labels,
      inSeconds(VITAL_LIMITS.inp),
    ),
    cls: registerHistogram(
      registry,
      'front_end_layout_shift',
      'Cumulative layout shift of page views',
      labels,
      VITAL_LIMITS.cls,
    ),
  };

  /** The builds of each front end, the one with the newest report last. */
  const known = new Map<FrontEnd, Set<string>>();

  /** Records that a build has a report. Forgets all values of the oldest build if there are too many. */
  function use(front_end: FrontEnd, build: string): void {
    const builds = known.get(front_end) ?? new Set<string>();
    known.set(front_end, builds);
    // With a first value, the alarm about errors notices those between the first report and the next scrape.
    if (!builds.delete(build)) for (const kind of FRONT_END_ERRORS) errors.show({ front_end, build, kind });
    builds.add(build);
    if (builds.size <= BUILDS_MAX) return;
    const [oldest = ''] = builds;
    builds.delete(oldest);
    for (const state of VIEW_STATES) views.forget({ front_end, build: oldest, state });
    for (const kind of FRONT_END_ERRORS) errors.forget({ front_end, build: oldest, kind });
    for (const histogram of Object.values(vitals)) histogram.forget({ front_end, build: oldest });
  }

  return {
    countView(front_end: FrontEnd, build: string, state: ViewState): void {
      use(front_end, build);
      views.count({ front_end, build, state });
    },
    countError(front_end: FrontEnd, build: string, kind: FrontEndErrorKind): void {
      use(front_end, build);
      errors.count({ front_end, build, kind });
    },
    observeVital(front_end: FrontEnd, build: string, vital: Vital, value: number): void {
      use(front_end, build);
      vitals[vital].observe({ front_end, build }, vital === 'cls' ? value : value / 1_000);
    },
  };
}
