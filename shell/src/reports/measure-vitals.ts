import type { MeasuredValue, Vital } from '@alpenglow/domain/contracts';
import { onCLS, onINP, onLCP, type Metric } from 'web-vitals';
import { canMeasure } from '../gates/consent.ts';
import { remotes } from '../remotes/remotes.ts';
import { pageStorage } from '../storage/page-storage.ts';
import { getShellHash, sendReport } from './send-report.ts';
import { findShownFrontEnd } from './shown-front-ends.ts';

/** Decimal places of the sent values. Layout shift has no unit and is usually far below 1. */
const DECIMALS: Readonly<Record<Vital, number>> = { lcp: 0, inp: 0, cls: 4 };

/**
 * Measures the speed of this page view. The largest contentful paint is reported as soon as it is final, because a
 * worse build must be noticed quickly. The other measures are reported when the page is hidden for the first time. A
 * page that the browser restores from its back/forward cache is another page view.
 */
export function measureVitals(): void {
  /** The latest values by id, which is different for each page view and measure. */
  const values = new Map<string, MeasuredValue>();
  const reported = new Set<string>();
  const record =
    (vital: Vital) =>
    ({ id, value, entries }: Metric) => {
      if (!reported.has(id)) values.set(id, toMeasuredValue(vital, value, entries[0]?.startTime ?? 0));
    };
  const report = () => {
    if (values.size === 0) return;
    for (const id of values.keys()) reported.add(id);
    // The visitor may have withdrawn the consent.
    if (canMeasure(pageStorage)) sendReport({ vitals: [...values.values()] });
    values.clear();
  };
  onLCP((metric) => {
    // It is final at the first input, or when the page is hidden.
    if (reported.has(metric.id)) return;
    reported.add(metric.id);
    const value = toMeasuredValue('lcp', metric.value, metric.entries[0]?.startTime ?? 0);
    if (canMeasure(pageStorage)) sendReport({ vitals: [value] });
  });
  onINP(record('inp'));
  onCLS(record('cls'));

  // The library computes the final values in listeners of the document, which are called before those of the window.
  addEventListener('visibilitychange', () => {
    if (document.hidden) report();
  });
  addEventListener('pagehide', report);
}

/** Assigns a value to the front end that was shown when the measured events began. */
function toMeasuredValue(vital: Vital, value: number, at_ms: number): MeasuredValue {
  const frontEnd = findShownFrontEnd(at_ms);
  const remote = frontEnd === 'shell' ? null : remotes.state(frontEnd);
  const hash = remote === null ? getShellHash() : remote.state === 'ready' ? remote.hash : '';
  return { frontEnd, hash, vital, value: Number(value.toFixed(DECIMALS[vital])) };
}
