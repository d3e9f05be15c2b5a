// @ts-check
/** How the block of broken connections is named where it cannot be run. */
const OUTAGES = /, broken connections: not run/u;

/** @typedef {{ readonly testResults: readonly { readonly assertionResults: readonly { readonly status: string, readonly fullName: string }[] }[] }} Results */

/**
 * What a run of the contract suites left out, of Vitest's results as JSON; and whether that is accepted: nothing is, but broken connections where
 * they were said not to matter.
 * @param {Results} results
 * @param {{ readonly withoutOutages: boolean }} options
 * @returns {{ names: string[], isAccepted: boolean }}
 */
export function notRun({ testResults }, { withoutOutages }) {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const names = all
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => fullName.trim());
  return { names, isAccepted: names.every((name) => withoutOutages && OUTAGES.test(name)) };
}
