// @ts-check

/**
 * @typedef {object} FileResult   The result of one test file.
 * @property {string} file   path relative to the checkout
 * @property {string} kind   `unit`, `browser`, …
 * @property {number} duration_ms
 * @property {number} passed
 * @property {number} failed
 * @property {boolean} isBroken   the file failed outside its tests: it did not load or a hook failed
 * @property {string[]} skipped   full names of the tests that did not run, followed by the reason if there is one
 * @property {string[]} failures   full names of the failed tests, each followed by the first lines of its errors
 */

/**
 * @typedef {object} RunResults
 * @property {FileResult[]} files
 * @property {string[]} errorsOutsideTests   the first lines of errors that belong to no test
 */

const SLOWEST = 10;

/**
 * Returns lines with the slowest files and the time of each kind of check.
 * @param {RunResults} results
 * @param {readonly { readonly title: string, readonly duration_ms: number }[]} steps   the steps besides the test files
 * @returns {string[]}
 */
export function formatTimes({ files }, steps) {
  const slowest = files.toSorted((a, b) => b.duration_ms - a.duration_ms).slice(0, SLOWEST);
  const kinds = [...new Set(files.map(({ kind }) => kind))].map((kind) => {
    const filesOfKind = files.filter((file) => file.kind === kind);
    const tests = filesOfKind.reduce((sum, { passed, failed }) => sum + passed + failed, 0);
    return {
      kind,
      duration_ms: filesOfKind.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
      summary: `${tests} tests in ${filesOfKind.length} files`,
    };
  });
  return [
    ...(slowest.length > 0
      ? ['The slowest files:', ...slowest.map(({ file, duration_ms }) => `  ${seconds(duration_ms)}  ${file}`), '']
      : []),
    'Time for each kind (test files run in parallel, so the sum is more than the duration of the run):',
    ...steps.map(({ title, duration_ms }) => `  ${seconds(duration_ms)}  ${title}`),
    ...kinds.map(({ kind, duration_ms, summary }) => `  ${seconds(duration_ms)}  ${kind}: ${summary}`),
  ];
}

/**
 * Returns how many tests passed and failed. A file that failed outside its tests counts as one failure, and so does an
 * error that belongs to no file.
 * @param {RunResults | null} results   null if the test runner wrote no results
 * @param {boolean} hasSucceeded   true if the test runner exited with 0
 */
export function countResults(results, hasSucceeded) {
  if (results === null) return { passed: 0, failed: 1, skipped: [] };
  const sum = (/** @type {(file: FileResult) => number} */ count) =>
    results.files.reduce((total, file) => total + count(file), 0);
  const failed = sum((file) => file.failed + (file.isBroken ? 1 : 0)) + results.errorsOutsideTests.length;
  return {
    passed: sum((file) => file.passed),
    failed: !hasSucceeded && failed === 0 ? 1 : failed,
    skipped: results.files.flatMap(({ skipped }) => skipped),
  };
}

/**
 * Returns a line for each failure of the test files.
 * @param {RunResults | null} results
 */
export function formatFailures(results) {
  if (results === null) return [];
  return [
    ...results.files.flatMap(({ file, isBroken, failures }) => [
      ...(isBroken ? [`✗ ${file}: a hook failed, or the file did not load`] : []),
      ...failures.map((failure) => `✗ ${file}: ${failure}`),
    ]),
    ...results.errorsOutsideTests.map((error) => `✗ outside the tests: ${error}`),
  ];
}

const seconds = (/** @type {number} */ ms) => `${(ms / 1_000).toFixed(1)} s`.padStart(9);
