// @ts-check
import { createServer } from 'node:net';

/**
 * Lowest port to choose. The operating system does not assign ports in this range automatically. A chosen port
 * therefore stays free until its program starts, and also while a killed program restarts.
 */
const MIN_PORT = 20_000;
const MAX_PORT = 32_000;
/** Maximum number of attempts to find a free port. If every attempt fails, there must be another problem. */
const MAX_TRIES = 1_000;

/**
 * The ports that this process has already returned. They are not returned again, because the programs that will use
 * them may not have started yet.
 * @type {Set<number>}
 */
const returned = new Set();

/**
 * Returns a free port of this machine. Each call returns a different port. Rejects if no free port is found.
 * @returns {Promise<number>}
 */
export async function findFreePort() {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = MIN_PORT + Math.floor(Math.random() * (MAX_PORT - MIN_PORT));
    if (returned.has(port)) continue;
    // The port is reserved before the check, because another call may choose the same port during the check.
    returned.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port between ${MIN_PORT} and ${MAX_PORT} is free`);
}

/** @param {number} port @returns {Promise<boolean>} */
function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
