import {
  FRONT_END_ERRORS,
  FRONT_ENDS,
  VITAL_LIMITS,
  type FrontEnd,
  type FrontEndErrorKind,
  type Vital,
} from '@alpenglow/domain';
import { registerCounter, registerHistogram, type Metrics } from './metrics.ts';

export type FrontEndMetrics = ReturnType<typeof createFrontEndMetrics>;

/**
 * Registers the metrics of errors and speeds that browsers have reported. They have no label for the deployment,
 * because a client can invent deployments. `/status/front-ends` shows the values of each deployment.
 */
export function createFrontEndMetrics(registry: Metrics) {
  const known = FRONT_ENDS.flatMap((front_end) => FRONT_END_ERRORS.map((kind) => ({ front_end, kind })));
  const countError = registerCounter(
    registry,
    'front_end_errors_total',
    'Errors of front ends that browsers have reported',
    ['front_end', 'kind'],
    known,
  );
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
    countError: (front_end: FrontEnd, kind: FrontEndErrorKind): void => countError({ front_end, kind }),
    observeVital(front_end: FrontEnd, vital: Vital, value: number): void {
      if (vital === 'lcp') observeLcp({ front_end }, value / 1_000);
      else if (vital === 'inp') observeInp({ front_end }, value / 1_000);
      else observeCls({ front_end }, value);
    },
  };
}
