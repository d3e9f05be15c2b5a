/**
 * The longest that a test waits for one state, in milliseconds. It is far longer than even a busy machine needs, because a wait ends as soon as
 * the state is there: only a failing test waits that long.
 */
export const PATIENCE_ms = 180_000;

/** The longest that `WAIT_POSITION_MS` allows: a read that names a position shows it however busy the machine is. */
export const WAIT_POSITION_IN_TESTS_ms = 60_000;
