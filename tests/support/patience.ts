/**
 * The longest that a test waits for one state, in milliseconds. It is far longer than even a busy machine needs, because a wait ends as soon as
 * the state is there: only a failing test waits that long.
 */
export const PATIENCE_ms = 180_000;
