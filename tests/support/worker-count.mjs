// @ts-check
import os from 'node:os';

/**
 * Number of test files that run in parallel per core. A test file waits for other processes about half of the time, so
 * two files keep one core busy.
 */
const WORKERS_PER_CORE = 2;
/** Number by which the result is reduced for each core that other programs use. */
const LOSS_PER_BUSY_CORE = 0.5;
/** A reduction up to this number is ignored, because no machine is idle all the time. */
const IGNORED_LOSS = 0.4;
/** Maximum memory of a worker that runs its own product and Chromium. */
const WORKER_bytes = 1.5 * 1024 ** 3;

/**
 * Returns how many test files run in parallel on this machine. The number depends on the cores, the load and the free
 * memory. The environment variable `TEST_WORKERS` overrides the number.
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
 * Returns how many test files can run in parallel on a machine.
 * @param {{ readonly cores: number, readonly busy: number, readonly free_bytes: number }} machine  `busy` is the number
 * of cores that other programs use
 * @returns {number}
 */
export function workersFor({ cores, busy, free_bytes }) {
  const byProcessor = Math.floor(cores * WORKERS_PER_CORE - busy * LOSS_PER_BUSY_CORE + IGNORED_LOSS);
  const byMemory = Math.floor(free_bytes / WORKER_bytes);
  return Math.max(1, Math.min(byProcessor, byMemory));
}
