/** Records which front end the page shows, so that a measured value can be assigned to the front end that caused it. */
import type { FrontEnd } from '@alpenglow/domain/contracts';

/** Maximum number of recorded front ends. Older ones are removed, because few measured values belong to them. */
const ENTRIES_MAX = 100;

const shown: { readonly frontEnd: FrontEnd; readonly since_ms: number }[] = [];

/** Records the front end that is shown from now on. The first call counts from the start of the page load. */
export function recordShownFrontEnd(frontEnd: FrontEnd): void {
  if (shown.at(-1)?.frontEnd === frontEnd) return;
  shown.push({ frontEnd, since_ms: shown.length === 0 ? 0 : performance.now() });
  if (shown.length > ENTRIES_MAX) shown.shift();
}

/** Returns the front end that was shown at a time since the start of the page load. */
export function findShownFrontEnd(at_ms: number): FrontEnd {
  return (shown.findLast(({ since_ms }) => since_ms <= at_ms) ?? shown[0])?.frontEnd ?? 'shell';
}
