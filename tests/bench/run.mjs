// @ts-check
/** `npm run bench` and `npm run bench:cluster`: builds what is stale, bundles the benchmark and runs it. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare } from '../../infra/embedded/launcher/prepare.mjs';
import { createProgress } from '../../infra/embedded/launcher/progress.mjs';

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);
const args = process.argv.slice(2);
const isCluster = args[0] === 'cluster';
const entry = isCluster ? 'cluster.ts' : 'bench.ts';
const progress = createProgress();
await prepare(root, progress.step);
progress.done();

const { bundleForNode } = await import('../support/bundle.mjs');
const bundle = await bundleForNode(path.join(root, 'tests/bench', entry));
try {
  const { bench } = await import(pathToFileURL(bundle.path).href);
  await bench(root, isCluster ? args.slice(1) : args);
} finally {
  await bundle.remove();
}
