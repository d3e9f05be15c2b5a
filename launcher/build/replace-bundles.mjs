// @ts-check
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The file that lists the bundles of the last build. The folder also contains chunks of earlier builds. */
export const BUNDLE_LIST = 'bundles.json';

/** A file that no build has written for this time is removed. A running server may need the chunks of its build. */
const RETAINED_ms = 7 * 24 * 3_600_000;

/**
 * Moves new bundles into the folder from which servers run. Chunks have unique names and come first, so that each
 * program finds its own chunks at any time.
 * @param {string} incoming  the folder of the new bundles
 * @param {string} target
 * @param {readonly string[]} programs  the names of the programs
 * @param {Date} [now]
 */
export async function replaceBundles(incoming, target, programs, now = new Date()) {
  await mkdir(target, { recursive: true });
  const isProgram = (/** @type {string} */ file) => programs.some((name) => file === `${name}.mjs`);
  const files = (await readdir(incoming)).toSorted((a, b) => Number(isProgram(a)) - Number(isProgram(b)));
  for (const file of files) await rename(path.join(incoming, file), path.join(target, file));
  await writeFile(path.join(incoming, BUNDLE_LIST), JSON.stringify(files));
  await rename(path.join(incoming, BUNDLE_LIST), path.join(target, BUNDLE_LIST));
  for (const file of await readdir(target)) {
    if (files.includes(file) || file === BUNDLE_LIST) continue;
    const { mtimeMs } = await stat(path.join(target, file));
    if (now.getTime() - mtimeMs > RETAINED_ms) await rm(path.join(target, file), { force: true });
  }
}
