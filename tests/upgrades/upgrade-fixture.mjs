// @ts-check
/**
 * `npm run upgrade-fixture [-- <commit> …]`: writes the data folder of a commit for the upgrade tests. Without an
 * argument, the commit is HEAD. Each commit is installed and built from its own lock file in `.build/upgrades`.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareCheckout } from '../../launcher/start/prepare.mjs';
import { createProgress } from '../../launcher/start/progress.mjs';

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);
const commits = process.argv.slice(2);
const progress = createProgress();
await prepareCheckout(root, progress.step, undefined, { deploys: false });
progress.done();

const { bundleForNode } = await import('../support/bundle.mjs');
const bundle = await bundleForNode(path.join(import.meta.dirname, 'make-folder.ts'));
try {
  const { makeFolder } = await import(pathToFileURL(bundle.path).href);
  for (const commit of commits.length > 0 ? commits : ['HEAD']) await makeFolder(commit);
} finally {
  await bundle.remove();
}
