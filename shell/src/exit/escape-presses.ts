/** The number of presses of Escape that leave the site, and the time within which they must happen. */
const PRESSES = 3;
const WITHIN_ms = 1_500;

/**
 * Creates a function that is called with the time of each press of Escape. It returns true if the visitor wants to
 * leave the site. A press that also closes a dialog counts, so that three quick presses always leave.
 */
export function createEscapeCounter(): (now_ms: number) => boolean {
  let presses_ms: readonly number[] = [];
  return (now_ms) => {
    presses_ms = [...presses_ms, now_ms].slice(-PRESSES);
    return presses_ms.length === PRESSES && now_ms - (presses_ms[0] ?? 0) <= WITHIN_ms;
  };
}
