// @ts-check
/** Runs a command-line tool of the product, e.g. `npm run projections`: installs and builds first, keeps other starts off DATA_DIR meanwhile. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { acquireLock, AlreadyRunning } from './launcher/lock.mjs';
import { prepare } from './launcher/prepare.mjs';
import { createProgress } from './launcher/progress.mjs';

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);
const [tool, ...args] = process.argv.slice(2);
const dataDir = path.resolve(process.env['DATA_DIR'] || '.data');
mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });

const progress = createProgress();
await prepare(root, progress.step);
progress.done();

/** @type {Awaited<ReturnType<typeof acquireLock>> | null} */
let lock = null;
try {
  lock = await acquireLock(path.join(dataDir, 'launcher.lock'));
} catch (error) {
  // The product runs, or is about to: the tool works beside it.
  if (!(error instanceof AlreadyRunning)) throw error;
}
try {
  const { main } = await import(`../dist/${tool}.mjs`);
  process.exitCode = await main(args, { env: process.env, rootDir: root, ownsDataDir: lock !== null });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  lock?.release();
}
