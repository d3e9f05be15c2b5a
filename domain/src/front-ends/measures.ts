/** A front end of the site: `shell`, or the name of a remote in the registry. */
export type FrontEnd = string;
/** Matches the name of a front end. */
export const FRONT_END_NAME = /^(?:shell|mf-[a-z][a-z-]{0,29})$/u;

/**
 * The kinds of errors that browsers report. `registry` is the list of all remotes, `entry` is the entry file of a
 * remote, and `chunk` is any other file. `integrity` is a file that does not match the registry. `contract` is an
 * unsupported contract version. `load` is an error of the code while it is loaded, and `render` one while a page is
 * shown. `uncaught` and `rejection` are errors and rejected promises that no code has handled.
 */
export const FRONT_END_ERRORS = [
  ...(['registry', 'entry', 'chunk', 'integrity', 'contract', 'load', 'render'] as const),
  ...(['uncaught', 'rejection'] as const),
] as const;
export type FrontEndErrorKind = (typeof FRONT_END_ERRORS)[number];

/**
 * The states of a view. A view is one page load with a deployment of a front end. The browser reports it as `started`
 * when it begins to load the deployment, and also as `failed` when the deployment causes its first error.
 */
export const VIEW_STATES = ['started', 'failed'] as const;
export type ViewState = (typeof VIEW_STATES)[number];
/**
 * The names under which views are stored. The kinds of errors and the measures of speed are stored in the same column,
 * so the names differ from these.
 */
export const VIEW_MEASURES = { started: 'view', failed: 'failed-view' } as const satisfies Record<ViewState, string>;

/**
 * The measures of speed (Web Vitals) that browsers report. Largest contentful paint (`lcp`) and interaction to next
 * paint (`inp`) are in milliseconds. Cumulative layout shift (`cls`) has no unit.
 */
export const VITALS = ['lcp', 'inp', 'cls'] as const;
export type Vital = (typeof VITALS)[number];

/**
 * The upper limits of the intervals in which the values of a measure are counted. A last interval without a limit
 * follows. The limits never change, because stored counts refer to them by index.
 */
export const VITAL_LIMITS: Readonly<Record<Vital, readonly number[]>> = {
  lcp: [200, 400, 600, 800, 1_000, 1_200, 1_500, 1_800, 2_100, 2_500, 3_000, 4_000, 6_000, 10_000],
  inp: [16, 32, 50, 75, 100, 125, 150, 200, 300, 500, 800, 1_500],
  cls: [0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.5, 1],
};

/** Returns the index of the interval that contains a value. */
export function findInterval(vital: Vital, value: number): number {
  const limits = VITAL_LIMITS[vital];
  const index = limits.findIndex((limit) => value <= limit);
  return index === -1 ? limits.length : index;
}

/**
 * Estimates the value that the given share of all values does not exceed. Values are assumed to be evenly distributed
 * within an interval. In the last interval, the result is its lower limit. Returns null if there are no values.
 *
 * @param counts the number of values by the index of the interval
 */
export function estimatePercentile(vital: Vital, counts: ReadonlyMap<number, number>, share: number): number | null {
  const limits = VITAL_LIMITS[vital];
  let rest = share * [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (rest === 0) return null;
  for (const [index, limit] of limits.entries()) {
    const count = counts.get(index) ?? 0;
    if (count > 0 && rest <= count) {
      const start = limits[index - 1] ?? 0;
      return start + (limit - start) * (rest / count);
    }
    rest -= count;
  }
  return limits.at(-1) ?? null;
}
