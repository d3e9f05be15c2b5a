// @ts-check
import os from 'node:os';

/** Test files wait for other processes about half of the time, so that four workers keep two cores busy. */
const WORKERS_PER_CORE = 2;
/** A core that another program uses is shared with it: it gives less, but not nothing. */
const LESS_PER_BUSY_CORE = 0.5;
/** What a worker may need, with a product and a Chromium of its own. */
const WORKER_bytes = 1.5 * 1024 ** 3;

/**
 * How many test files run at once, by the cores, the load and the free memory of this machine. `TEST_WORKERS` overrides it.
 * @returns {number} at least 1
 */
export function workerCount() {
  const chosen = Number(process.env['TEST_WORKERS']);
  if (Number.isInteger(chosen) && chosen > 0) return chosen;
  const cores = os.availableParallelism();
  const busy = Math.min(cores, os.loadavg()[0] ?? 0);
  return workersFor({ cores, busy, free_bytes: os.freemem() });
}

/**
 * @param {{ readonly cores: number, readonly busy: number, readonly free_bytes: number }} machine  `busy`: how many cores others use
 * @returns {number}
 */
export function workersFor({ cores, busy, free_bytes }) {
  const byProcessor = Math.floor(cores * WORKERS_PER_CORE - busy * LESS_PER_BUSY_CORE);
  const byMemory = Math.floor(free_bytes / WORKER_bytes);
  return Math.max(1, Math.min(byProcessor, byMemory));
}
