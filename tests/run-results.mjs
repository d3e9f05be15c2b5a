// @ts-check

/**
 * @typedef {object} FileResult   The result of one test file.
 * @property {string} file   path relative to the checkout
 * @property {string} kind   `unit`, `browser`, …
 * @property {number} duration_ms
 * @property {number | null} processor_ms   processor time of the file and the processes of its worker, null if unknown
 * @property {readonly import('./support/volume.ts').ReachedVolume[]} volumes   repetitions of checks, such as fuzzing
 * @property {number} passed
 * @property {number} failed
 * @property {boolean} isBroken   the file failed outside its tests: it did not load or a hook failed
 * @property {string[]} skipped   full names of the tests that did not run, followed by the reason if there is one
 * @property {string[]} failures   full names of the failed tests, each followed by the first lines of its errors
 */

/**
 * @typedef {object} KindResult   The time of all files of one kind.
 * @property {string} kind
 * @property {number} duration_ms
 * @property {number | null} processor_ms   processor time of all processes meanwhile, null if unknown
 */

/**
 * @typedef {object} RunResults
 * @property {FileResult[]} files
 * @property {KindResult[]} kinds   in the order of the run
 * @property {string[]} errorsOutsideTests   the first lines of errors that belong to no test
 */

/**
 * @typedef {object} RunTimes   The time of the whole run.
 * @property {({ title: string } & Times)[]} steps   the steps besides the test files
 * @property {number} duration_ms
 * @property {number | null} processor_ms   null if unknown
 * @property {boolean} isComplete   false if the processor time of some processes may be missing
 * @typedef {{ duration_ms: number, processor_ms: number | null }} Times
 */

/** Number of files in the list of the most expensive ones. */
const LISTED_FILES = 10;

/**
 * Returns lines with the files that use the most processor time, and the processor time and duration of each kind of
 * check.
 * @param {Pick<RunResults, 'files' | 'kinds'>} results
 * @param {RunTimes} run
 * @returns {string[]}
 */
export function formatTimes({ files, kinds }, run) {
  const listed = files.toSorted((a, b) => costOf(b) - costOf(a)).slice(0, LISTED_FILES);
  const rows = [
    ...run.steps,
    ...kinds.map(({ kind, ...times }) => {
      const filesOfKind = files.filter((file) => file.kind === kind);
      const tests = filesOfKind.reduce((sum, { passed, failed }) => sum + passed + failed, 0);
      return { title: `${kind}: ${tests} tests in ${filesOfKind.length} files`, ...times };
    }),
  ];
  const rest = {
    title: 'start and end of the test runner and of Postgres',
    duration_ms: run.duration_ms - sumOf(rows, ({ duration_ms }) => duration_ms),
    processor_ms: run.processor_ms === null ? null : run.processor_ms - sumOf(rows, ({ processor_ms }) => processor_ms),
  };
  const line = (/** @type {{ title: string } & Times} */ row) =>
    `  ${seconds(row.processor_ms)}  ${seconds(row.duration_ms)}  ${row.title}`;
  return [
    ...(listed.length > 0
      ? [
          'Processor time and duration of the most expensive files, without the Postgres server that all files share:',
          ...listed.map(({ file, ...times }) => line({ title: file, ...times })),
          '',
        ]
      : []),
    'Processor time and duration of each kind, with all processes:',
    ...[...rows, rest].map(line),
    line({ title: 'in all', ...run }),
    ...(run.processor_ms === null
      ? ['Processor time is unknown on this system.']
      : run.isComplete
        ? []
        : ['Processor time is at least this: no control group can be created, so some processes are missing.']),
  ];
}

/**
 * Returns a line for each check that repeats itself as long as there is time.
 * @param {readonly FileResult[]} files
 * @returns {string[]}
 */
export function formatVolumes(files) {
  const volumes = files.flatMap((file) => file.volumes);
  if (volumes.length === 0) return [];
  return [
    'Volumes of repeated checks:',
    ...volumes.map(
      ({ name, count, minimum, maximum }) =>
        `  ${name}: ${grouped(count)}` +
        (minimum === maximum ? '' : ` (minimum ${grouped(minimum)}, maximum ${grouped(maximum)})`),
    ),
    '',
  ];
}

const grouped = (/** @type {number} */ count) => count.toLocaleString('en-US');

/** @param {FileResult} file */
const costOf = ({ processor_ms, duration_ms }) => processor_ms ?? duration_ms;

/** @template Row @param {readonly Row[]} rows @param {(row: Row) => number | null} value */
const sumOf = (rows, value) => rows.reduce((sum, row) => sum + (value(row) ?? 0), 0);

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

const seconds = (/** @type {number | null} */ ms) => (ms === null ? '?' : `${(ms / 1_000).toFixed(1)} s`).padStart(9);
