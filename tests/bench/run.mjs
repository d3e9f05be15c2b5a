// @ts-check
/** `npm run bench`: builds what is stale, bundles bench.ts and runs it. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from '../../infra/embedded/launcher/prepare.mjs';
import { createProgress } from '../../infra/embedded/launcher/progress.mjs';

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);
const progress = createProgress();
await prepare(root, progress.step);
progress.done();

const { bundleForNode } = await import('../support/bundle.mjs');
const bundle = await bundleForNode(path.join(root, 'tests/bench/bench.ts'));
try {
  const { bench } = await import(pathToFileURL(bundle.path).href);
  await bench(root, process.argv.slice(2));
} finally {
  await bundle.remove();
}
