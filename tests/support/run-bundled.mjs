// @ts-check
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareCheckout } from '../../launcher/start/prepare.mjs';
import { createProgress } from '../../launcher/start/progress.mjs';
import { ensureChromium } from './chromium.mjs';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * Runs a TypeScript program that uses the built checkout, such as a benchmark. Installs and builds what is out of date,
 * bundles the program, and passes its exports to `run`.
 * @template Result
 * @param {string} entry   path relative to the checkout
 * @param {(program: any, root: string) => Promise<Result>} run
 * @param {{ deploys?: boolean, opensPages?: boolean }} [options]   whether the program serves the front ends of this
 * checkout, by default true, and whether it needs Chromium, by default false
 * @returns {Promise<Result>}
 */
export async function runBundled(entry, run, { deploys = true, opensPages = false } = {}) {
  process.chdir(root);
  // A site that runs at the same time does not change.
  if (deploys) process.env['MF_DIR'] ??= path.join(root, '.build/test-mf');
  const progress = createProgress();
  await prepareCheckout(root, progress.step, undefined, { deploys });
  if (opensPages) process.env['CHROMIUM_PATH'] = await ensureChromium(root, progress.step);
  progress.done();
  // This module is imported late, because its packages may just have been installed.
  const { bundleForNode } = await import('./bundle.mjs');
  const bundle = await bundleForNode(path.join(root, entry));
  try {
    return await run(await import(pathToFileURL(bundle.path).href), root);
  } finally {
    await bundle.remove();
  }
}
