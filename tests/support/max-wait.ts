/**
 * Maximum time in milliseconds that a test waits for a state. It is much longer than a busy machine needs. A wait ends
 * as soon as the state is reached, so only a failing test waits this long.
 */
export const MAX_WAIT_ms = 180_000;

/**
 * Value of `UPLOAD_WAIT_MS`. It is long, so that the response to an upload contains its result even on a busy machine.
 */
export const UPLOAD_WAIT_IN_TESTS_ms = 45_000;

/**
 * Value of `WAIT_POSITION_MS`. A request can name the position of an earlier write, and the read then waits until it
 * includes this write. The limit is long, so that the wait succeeds even on a busy machine.
 */
export const WAIT_POSITION_IN_TESTS_ms = 45_000;
