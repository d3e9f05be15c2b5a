const BAR_LENGTH = 40;
const LINE_INTERVAL_ms = 1_000;
/** Time before the progress is first shown. In the first half second, the rate is not meaningful. */
const FIRST_SHOWN_AFTER_ms = 500;
const DRAW_INTERVAL_ms = 100;

type Output = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;

/**
 * Shows a bar on standard error with the completed items, the rate and the remaining time. If standard error is not a
 * terminal, prints one line a second at most, and one more at the end of the work. Shows nothing for work that takes
 * less than half a second.
 */
export function showProgress(title: string, unit: string, stream: Output = process.stderr) {
  const started_ms = Date.now();
  let next_ms = FIRST_SHOWN_AFTER_ms;
  let shown: 'nothing' | 'bar' | 'full bar' | 'end' = 'nothing';
  return {
    /**
     * Reports the number of completed items, and the estimated completed fraction from 0 to 1. Frequent calls are
     * allowed, because not every call redraws the bar. Once the bar is shown, the first call with 1 does.
     */
    update(done: number, fraction: number): void {
      const elapsed_ms = Date.now() - started_ms;
      if (shown === 'end' || (elapsed_ms < next_ms && !(shown === 'bar' && fraction >= 1))) return;
      next_ms = elapsed_ms + (stream.isTTY ? DRAW_INTERVAL_ms : LINE_INTERVAL_ms);
      shown = fraction >= 1 ? 'full bar' : 'bar';
      const full = Math.floor(Math.min(1, fraction) * BAR_LENGTH);
      const rate = Math.round((done * 1_000) / elapsed_ms).toLocaleString('en');
      const left = fraction > 0 ? duration((elapsed_ms * (1 - fraction)) / fraction) : '?';
      const line =
        `${title} ${'='.repeat(full)}${'-'.repeat(BAR_LENGTH - full)} ${Math.floor(Math.min(1, fraction) * 100)}% | ` +
        `${done.toLocaleString('en')} ${unit} | ${rate}/s | ${left} left`;
      // On a terminal, the line replaces the previous one, so it must not be longer than the terminal is wide.
      stream.write(stream.isTTY ? `\r\u001b[2K${line.slice(0, stream.columns || undefined)}` : `${line}\n`);
    },
    /** Ends the bar. Further calls have no effect. */
    stop(): void {
      if ((shown === 'bar' || shown === 'full bar') && stream.isTTY) stream.write('\n');
      shown = 'end';
    },
  };
}

/** Formats a duration, e.g. `40 s`, `12 min`, `3.5 h`. */
function duration(time_ms: number): string {
  const time_s = time_ms / 1_000;
  if (time_s < 100) return `${Math.ceil(time_s)} s`;
  if (time_s < 6_000) return `${Math.ceil(time_s / 60)} min`;
  return `${(time_s / 3_600).toFixed(1)} h`;
}
