// @ts-check
/**
 * `npm start -w <service>`: runs one service as a separate process. If necessary, it first installs the packages and
 * builds the product.
 */
import path from 'node:path';
import { prepareCheckout } from '../start/prepare.mjs';
import { createProgress } from '../start/progress.mjs';

const root = path.resolve(import.meta.dirname, '../..');
// The root of the checkout becomes the current folder, because paths in the configuration are relative to it.
process.chdir(root);
const progress = createProgress();
try {
  await prepareCheckout(root, progress.step);
  progress.done();
} catch (error) {
  progress.failed();
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
await import('../../infra/deploy/image/run.mjs');
