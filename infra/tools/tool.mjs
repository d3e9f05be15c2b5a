// @ts-check
/**
 * Runs a command-line tool of the product, e.g. `npm run projections`: installs and builds first, keeps other starts off DATA_DIR meanwhile.
 * Ctrl-C asks the tool to stop where it can be gone on with; a second one ends it at once.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { acquireLock, AlreadyRunning } from '../embedded/launcher/lock.mjs';
import { prepare } from '../embedded/launcher/prepare.mjs';
import { createProgress } from '../embedded/launcher/progress.mjs';

/** npm passes Ctrl-C on although the terminal did already; two signals this close are one wish. */
const SAME_WISH_MS = 700;
const INTERRUPTED = 130;

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);
const [tool, ...args] = process.argv.slice(2);
const dataDir = path.resolve(process.env['DATA_DIR'] || '.data');
mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });

const abort = new AbortController();
/** @type {number | null} */
let stoppingSince_ms = null;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    if (stoppingSince_ms !== null && Date.now() - stoppingSince_ms > SAME_WISH_MS) process.exit(INTERRUPTED);
    stoppingSince_ms ??= Date.now();
    abort.abort();
  });
}

/** What tools and the configuration say is written for people; anything else needs its stack. @param {unknown} error */
function wordsFor(error) {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'ConfigurationError') return `The configuration is wrong:\n${error.message.replace(/^/gm, '  ')}`;
  return error.name === 'ToolError' || error.name === 'Error' ? error.message : (error.stack ?? error.message);
}

/** @param {unknown} error */
function complain(error) {
  if (abort.signal.aborted) {
    process.stderr.write('\nStopped before it was done.\n');
    process.exitCode = INTERRUPTED;
    return;
  }
  process.stderr.write(`\n${wordsFor(error)}\n`);
  process.exitCode = 1;
}

/** @type {Awaited<ReturnType<typeof acquireLock>> | null} */
let lock = null;
const progress = createProgress();
try {
  await prepare(root, progress.step, abort.signal);
  progress.done();
  lock = await acquireLock(path.join(dataDir, 'launcher.lock')).catch((error) => {
    // The product runs, or is about to: the tool works beside it.
    if (error instanceof AlreadyRunning) return null;
    throw error;
  });
  const { main } = await import(`../dist/${tool}.mjs`);
  process.exitCode = await main(args, {
    env: process.env,
    rootDir: root,
    ownsDataDir: lock !== null,
    signal: abort.signal,
  });
} catch (error) {
  progress.failed();
  complain(error);
} finally {
  lock?.release();
}
