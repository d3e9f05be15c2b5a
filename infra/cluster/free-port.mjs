// @ts-check
import { createServer } from 'node:net';

/** Below those the system gives to connections, and to whoever asks for any port: nobody takes one of these between its choice and its use, nor while a process that was killed is started again. */
const LEAST = 20_000;
const MOST = 32_000;
/** So many in a row are in use only where something else is wrong. */
const MAX_TRIES = 1_000;

/**
 * A port of this machine that nobody listens on, for a program that has to be told which. Rejects where none is found.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = LEAST + Math.floor(Math.random() * (MOST - LEAST));
    if (await isFree(port)) return port;
  }
  throw new Error(`No port between ${LEAST} and ${MOST} is free`);
}

/** @param {number} port @returns {Promise<boolean>} */
function isFree(port) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
