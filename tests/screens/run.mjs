// @ts-check
/**
 * `npm run screenshots [-- name…]`: every screen, menu, dialog and error at two widths, light and dark, as files in `screenshots/`. With
 * names, only those whose name contains one of them.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from '../../infra/embedded/launcher/prepare.mjs';
import { createProgress } from '../../infra/embedded/launcher/progress.mjs';
import { ensureChromium } from '../support/chromium.mjs';

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);
const progress = createProgress();
await prepare(root, progress.step);
process.env['CHROMIUM_PATH'] = await ensureChromium(root, progress.step);
progress.done();

const { bundleForNode } = await import('../support/bundle.mjs');
const bundle = await bundleForNode(path.join(root, 'tests/screens/screenshots.ts'));
try {
  const { takeScreenshots } = await import(pathToFileURL(bundle.path).href);
  await takeScreenshots({ root, names: process.argv.slice(2) });
} finally {
  await bundle.remove();
}
