// @ts-check
/** `npm run prove`: builds outdated packages, bundles the checker and runs it (prove/README.md). */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareCheckout } from '../launcher/start/prepare.mjs';
import { createProgress } from '../launcher/start/progress.mjs';

const root = path.resolve(import.meta.dirname, '..');
process.chdir(root);
// A site that runs at the same time does not change.
process.env['MF_DIR'] ??= path.join(root, '.build/test-mf');
const progress = createProgress();
await prepareCheckout(root, progress.step);
progress.done();

const { bundleForNode } = await import('../tests/support/bundle.mjs');
const bundle = await bundleForNode(path.join(root, 'prove/prove.ts'));
try {
  const { prove } = await import(pathToFileURL(bundle.path).href);
  process.exitCode = await prove(root, process.argv.slice(2));
} finally {
  await bundle.remove();
}
// A timer of a library must not delay the end.
process.exit();
