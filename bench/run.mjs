// @ts-check
/**
 * Runs `npm run bench`, or one of the benchmarks `npm run bench:cluster`, `bench:erasures`, `bench:mails`,
 * `bench:peers` and `bench:web`. It builds outdated packages, bundles the benchmark and runs the bundle.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareCheckout } from '../launcher/start/prepare.mjs';
import { createProgress } from '../launcher/start/progress.mjs';
import { ensureChromium } from '../tests/support/chromium.mjs';

const root = path.resolve(import.meta.dirname, '..');
process.chdir(root);
// A site that runs at the same time does not change.
process.env['MF_DIR'] ??= path.join(root, '.build/test-mf');
const args = process.argv.slice(2);
/** Entry files of the other benchmarks, by the first argument. @type {Record<string, string>} */
const OTHERS = {
  cluster: 'cluster.ts',
  erasures: 'erasures.ts',
  mails: 'mails.ts',
  peers: 'peers.ts',
  web: 'web/web.ts',
};
const other = OTHERS[args[0] ?? ''];
const progress = createProgress();
await prepareCheckout(root, progress.step);
if (args[0] === 'web') process.env['CHROMIUM_PATH'] = await ensureChromium(root, progress.step);
progress.done();

const { bundleForNode } = await import('../tests/support/bundle.mjs');
const bundle = await bundleForNode(path.join(root, 'bench', other ?? 'bench.ts'));
try {
  const { bench } = await import(pathToFileURL(bundle.path).href);
  await bench(root, other === undefined ? args : args.slice(1));
} finally {
  await bundle.remove();
}
