// @ts-check
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { buildIfStale, deployIfStale } from '../build/build.mjs';
import { installIfStale } from './install.mjs';
import { acquireLock, AlreadyRunning } from './lock.mjs';

/**
 * Installs the packages of a checkout and builds it, if packages or built files are missing or out of date. Then
 * deploys the front ends into `MF_DIR`, except with `deploys: false`. Parallel calls for the same checkout run one
 * after the other.
 * @param {string} root
 * @param {(step: string) => void} step
 * @param {AbortSignal} [signal]
 * @param {{ deploys?: boolean }} [options]
 */
export async function prepareCheckout(root, step, signal, { deploys = true } = {}) {
  mkdirSync(path.join(root, '.build'), { recursive: true });
  const lock = await waitForLock(path.join(root, '.build/preparing.lock'), signal);
  try {
    await installIfStale(root, step, signal);
    await buildIfStale(root, step, signal);
    if (deploys) await deployIfStale(root, step, signal);
  } finally {
    lock.release();
  }
}

/** @param {string} file @param {AbortSignal} [signal] */
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
