// @ts-check

/**
 * @typedef {object} FileResult   of one test file
 * @property {string} file   its path below the checkout
 * @property {string} kind   `unit`, `browser`, …
 * @property {number} duration_ms
 * @property {number} passed
 * @property {number} failed
 * @property {boolean} isBroken   failed outside its tests: it did not load, or a hook failed
 * @property {string[]} skipped   the full names of its tests that did not run
 */

/**
 * @typedef {object} RunResults
 * @property {FileResult[]} files
 * @property {number} errorsOutsideTests
 */

const SLOWEST = 10;

/**
 * The lines at the end of a run: the slowest files, and the time for each kind of check.
 * @param {RunResults} results
 * @param {readonly { readonly title: string, readonly duration_ms: number }[]} steps   what ran beside the test files
 * @returns {string[]}
 */
export function timesOf({ files }, steps) {
  const slowest = files.toSorted((a, b) => b.duration_ms - a.duration_ms).slice(0, SLOWEST);
  const kinds = [...new Set(files.map(({ kind }) => kind))].map((kind) => {
    const ofKind = files.filter((file) => file.kind === kind);
    const tests = ofKind.reduce((sum, { passed, failed }) => sum + passed + failed, 0);
    return {
      kind,
      duration_ms: ofKind.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
      about: `${tests} tests in ${ofKind.length} files`,
    };
  });
  return [
    ...(slowest.length > 0
      ? ['The slowest files:', ...slowest.map(({ file, duration_ms }) => `  ${seconds(duration_ms)}  ${file}`), '']
      : []),
    'Time for each kind (test files run side by side, so that these add up to more than the run):',
    ...steps.map(({ title, duration_ms }) => `  ${seconds(duration_ms)}  ${title}`),
    ...kinds.map(({ kind, duration_ms, about }) => `  ${seconds(duration_ms)}  ${kind}: ${about}`),
  ];
}

/**
 * How many tests passed and failed. A file that failed outside its tests, and an error outside every file, count as one failure each.
 * @param {RunResults | null} results   null: the test runner wrote none
 * @param {boolean} hasSucceeded   the exit code of the test runner
 */
export function countsOf(results, hasSucceeded) {
  if (results === null) return { passed: 0, failed: 1, skipped: [] };
  const sum = (/** @type {(file: FileResult) => number} */ count) =>
    results.files.reduce((total, file) => total + count(file), 0);
  const failed = sum((file) => file.failed + (file.isBroken ? 1 : 0)) + results.errorsOutsideTests;
  return {
    passed: sum((file) => file.passed),
    failed: !hasSucceeded && failed === 0 ? 1 : failed,
    skipped: results.files.flatMap(({ skipped }) => skipped),
  };
}

const seconds = (/** @type {number} */ ms) => `${(ms / 1_000).toFixed(1)} s`.padStart(9);
