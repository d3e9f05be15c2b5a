// @ts-check
/**
 * The limits of time of `.ci/run`. Checks that repeat themselves (`volume.ts`) use the time that the others leave. Long
 * test files run while there is time.
 */

/** Time after the start of `.ci/run` after which the checks of `npm run test:all` run their minimum only. */
export const VOLUMES_UNTIL_ms = 19 * 60_000;
/** Time after the start of `.ci/run` until which the failure run of `npm run test:engines` continues. */
export const FAILURES_UNTIL_ms = 29 * 60_000;
/** Time after the start of `.ci/run` after which no long test file starts. */
const LONG_FILES_UNTIL_ms = 19 * 60_000;
/** Time after the start of `.ci/run` after which no test file starts, so that the run can print its report. */
const FILES_UNTIL_ms = 68 * 60_000;

/** The value of `TEST_VOLUMES_UNTIL` with which checks reach their maximum, as in `npm run test:nightly`. */
export const MAXIMUM = 'maximum';
/** Time limit of anything that hangs in `npm run test:nightly`. */
export const NIGHTLY_LIMIT_ms = 24 * 60 * 60_000;

/**
 * Returns the time limit of something that hangs.
 * @param {number} usual_ms   the limit of all runs except `npm run test:nightly`
 * @param {string} [until]   the value of `TEST_VOLUMES_UNTIL`
 */
export function hangLimit_ms(usual_ms, until = process.env['TEST_VOLUMES_UNTIL']) {
  return until === MAXIMUM ? NIGHTLY_LIMIT_ms : usual_ms;
}

/**
 * Returns when `.ci/run` started, in ms since 1970. Outside `.ci/run`, this is the start of the current command.
 * @param {number} startOfCommand_ms
 */
export function startOfRun_ms(startOfCommand_ms) {
  return Number(process.env['TEST_STARTED_AT_S'] ?? startOfCommand_ms / 1_000) * 1_000;
}

/**
 * Returns true in `.ci/run`, where long test files run only while there is time. All other commands, and
 * `npm run test:nightly`, have no such limit.
 * @param {NodeJS.ProcessEnv} [env]
 */
export function hasTimeLimit(env = process.env) {
  return env['TEST_STARTED_AT_S'] !== undefined && env['TEST_VOLUMES_UNTIL'] !== MAXIMUM;
}

/**
 * Returns true if the run has no time left for a test file.
 * @param {boolean} isLong   true for a file that runs only while there is time
 * @param {number} [now_ms]   in ms since 1970
 * @param {NodeJS.ProcessEnv} [env]
 */
export function isTooLate(isLong, now_ms = Date.now(), env = process.env) {
  if (!hasTimeLimit(env)) return false;
  const passed_ms = now_ms - Number(env['TEST_STARTED_AT_S']) * 1_000;
  return passed_ms >= (isLong ? LONG_FILES_UNTIL_ms : FILES_UNTIL_ms);
}
