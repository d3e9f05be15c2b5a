import { SingleBar } from 'cli-progress';

const STEPS = 1_000;
const LINE_EVERY_ms = 1_000;
/** Until then there is nothing to tell a rate from. */
const FIRST_SHOWN_AFTER_ms = 500;
const DRAWN_EVERY_ms = 100;

export interface ToolProgress {
  /** So many are done, which is this part of all (0 to 1), as far as anybody can tell. May be called as often as one likes. */
  update(done: number, fraction: number): void;
  /** Ends the bar; may be called twice. */
  stop(): void;
}

/**
 * A bar on standard error with what is done, the rate and the time left; a line every second where that is no terminal.
 * Nothing is shown of what takes less than a moment.
 */
export function showProgress(title: string, unit: string): ToolProgress {
  const bar = new SingleBar({
    format: `${title} {bar} {percentage}% | {done} ${unit} | {rate}/s | {left} left`,
    hideCursor: true,
    noTTYOutput: true,
    notTTYSchedule: LINE_EVERY_ms,
  });
  const started_ms = Date.now();
  let next_ms = FIRST_SHOWN_AFTER_ms;
  return {
    update(done, fraction) {
      const elapsed_ms = Date.now() - started_ms;
      if (elapsed_ms < next_ms && !(bar.isActive && fraction >= 1)) return;
      next_ms = elapsed_ms + DRAWN_EVERY_ms;
      const payload = {
        done: done.toLocaleString('en'),
        rate: Math.round((done * 1_000) / elapsed_ms).toLocaleString('en'),
        left: fraction > 0 ? duration((elapsed_ms * (1 - fraction)) / fraction) : '?',
      };
      if (!bar.isActive) bar.start(STEPS, 0, payload);
      bar.update(Math.round(Math.min(1, fraction) * STEPS), payload);
    },
    stop: () => bar.stop(),
  };
}

/** `40 s`, `12 min`, `3.5 h`. */
export function duration(time_ms: number): string {
  const time_s = time_ms / 1_000;
  if (time_s < 100) return `${Math.ceil(time_s)} s`;
  if (time_s < 6_000) return `${Math.ceil(time_s / 60)} min`;
  return `${(time_s / 3_600).toFixed(1)} h`;
}
