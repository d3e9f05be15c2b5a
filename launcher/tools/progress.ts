import { SingleBar } from 'cli-progress';

const STEPS = 1_000;
const LINE_INTERVAL_ms = 1_000;
/** Time before the progress is first shown. In the first half second, the rate is not meaningful. */
const FIRST_SHOWN_AFTER_ms = 500;
const DRAW_INTERVAL_ms = 100;

/**
 * Shows a bar on standard error with the completed items, the rate and the remaining time. If standard error is not a
 * terminal, prints a line every second. Shows nothing for work that takes less than half a second.
 */
export function showProgress(title: string, unit: string) {
  const bar = new SingleBar({
    format: `${title} {bar} {percentage}% | {done} ${unit} | {rate}/s | {left} left`,
    hideCursor: true,
    noTTYOutput: true,
    notTTYSchedule: LINE_INTERVAL_ms,
  });
  const started_ms = Date.now();
  let next_ms = FIRST_SHOWN_AFTER_ms;
  return {
    /**
     * Reports the number of completed items, and the estimated completed fraction from 0 to 1. Frequent calls are
     * allowed, because not every call redraws the bar.
     */
    update(done: number, fraction: number): void {
      const elapsed_ms = Date.now() - started_ms;
      if (elapsed_ms < next_ms && !(bar.isActive && fraction >= 1)) return;
      next_ms = elapsed_ms + DRAW_INTERVAL_ms;
      const payload = {
        done: done.toLocaleString('en'),
        rate: Math.round((done * 1_000) / elapsed_ms).toLocaleString('en'),
        left: fraction > 0 ? duration((elapsed_ms * (1 - fraction)) / fraction) : '?',
      };
      if (!bar.isActive) bar.start(STEPS, 0, payload);
      bar.update(Math.round(Math.min(1, fraction) * STEPS), payload);
    },
    /** Ends the bar. Further calls have no effect. */
    stop: (): void => bar.stop(),
  };
}

/** Formats a duration, e.g. `40 s`, `12 min`, `3.5 h`. */
function duration(time_ms: number): string {
  const time_s = time_ms / 1_000;
  if (time_s < 100) return `${Math.ceil(time_s)} s`;
  if (time_s < 6_000) return `${Math.ceil(time_s / 60)} min`;
  return `${(time_s / 3_600).toFixed(1)} h`;
}
