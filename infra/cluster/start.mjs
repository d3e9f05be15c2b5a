// @ts-check
/** `npm start -w <service>`: one service as a process of its own, installed and built first where that is stale. */
import path from 'node:path';
import { prepare } from '../embedded/launcher/prepare.mjs';
import { createProgress } from '../embedded/launcher/progress.mjs';

const root = path.resolve(import.meta.dirname, '../..');
// Relative paths in the configuration mean the same from wherever this is called.
process.chdir(root);
const progress = createProgress();
try {
  await prepare(root, progress.step);
  progress.done();
} catch (error) {
  progress.failed();
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
await import('../image/run.mjs');
