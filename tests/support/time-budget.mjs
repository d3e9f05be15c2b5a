// @ts-check
/**
 * The limits of time of `.ci/run`. Checks that repeat themselves (`volume.ts`) use the time that the others leave.
 */

/** Time after the start of `.ci/run` after which the checks of `npm run test:all` run their minimum only. */
export const VOLUMES_UNTIL_ms = 24 * 60_000;
/** Time after the start of `.ci/run` until which the failure run of `npm run test:engines` continues. */
export const FAILURES_UNTIL_ms = 31 * 60_000;

/**
 * Returns when `.ci/run` started, in ms since 1970. Outside `.ci/run`, this is the start of the current command.
 * @param {number} startOfCommand_ms
 */
export function startOfRun_ms(startOfCommand_ms) {
  return Number(process.env['TEST_STARTED_AT_S'] ?? startOfCommand_ms / 1_000) * 1_000;
}
