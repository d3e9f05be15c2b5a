// @ts-check
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildWhenStale } from '../build.mjs';
import { installWhenStale } from './dependencies.mjs';
import { acquireLock, AlreadyRunning } from './lock.mjs';

/**
 * Makes a checkout ready to run: installs and builds what is missing or stale. Two at once in one checkout take turns.
 * @param {string} root
 * @param {(step: string) => void} step
 * @param {AbortSignal} [signal]
 */
export async function prepare(root, step, signal) {
  mkdirSync(path.join(root, '.build'), { recursive: true });
  const lock = await waitForLock(path.join(root, '.build/preparing.lock'), signal);
  try {
    await installWhenStale(root, step, signal);
    await buildWhenStale(root, step, signal);
  } finally {
    lock.release();
  }
}

/**
 * @param {string} file
 * @param {AbortSignal} [signal]
 */
async function waitForLock(file, signal) {
  for (;;) {
    try {
      return await acquireLock(file);
    } catch (error) {
      if (!(error instanceof AlreadyRunning)) throw error;
    }
    await pause(200, undefined, { signal });
  }
}
