// @ts-check
/**
 * Runs `npm run screenshots [-- name…]`. Saves screenshots of every screen, menu, dialog and error in `screenshots/`,
 * at two widths and in both color themes. The arguments are parts of the names of the screens to save.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareCheckout } from '../../launcher/start/prepare.mjs';
import { createProgress } from '../../launcher/start/progress.mjs';
import { ensureChromium } from '../support/chromium.mjs';

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);
// A site that runs at the same time does not change.
process.env['MF_DIR'] ??= path.join(root, '.build/test-mf');
const progress = createProgress();
await prepareCheckout(root, progress.step);
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
