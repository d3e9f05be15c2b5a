// @ts-check
/** Matches the titles of skipped tests about broken connections. */
const OUTAGES = /, broken connections: not run/u;

/** @typedef {{ readonly status: string, readonly fullName: string }} AssertionResult */
/**
 * @typedef {{ readonly testResults: readonly { readonly assertionResults: readonly AssertionResult[] }[] }}
 * Results
 */

/**
 * Returns the names of all tests that did not run, from the JSON results of Vitest. `isAccepted` is true if all
 * tests ran. With `withoutOutages`, the tests of broken connections may be skipped.
 * @param {Results} results
 * @param {{ readonly withoutOutages: boolean }} options
 * @returns {{ names: string[], isAccepted: boolean }}
 */
export function findSkippedTests({ testResults }, { withoutOutages }) {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const names = all
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => fullName.trim());
  return { names, isAccepted: names.every((name) => withoutOutages && OUTAGES.test(name)) };
}
