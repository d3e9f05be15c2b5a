// @ts-check
/**
 * Runs a command-line tool of the product, such as `npm run projections`. First installs packages and builds if
 * necessary, and locks DATA_DIR against other starts. The first Ctrl-C stops the tool in a way that allows a later
 * continuation. The second Ctrl-C ends it immediately.
 */
import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { acquireLock, AlreadyRunning } from '../start/lock.mjs';
import { prepareCheckout } from '../start/prepare.mjs';
import { createProgress } from '../start/progress.mjs';

/** Two signals within this time count as one request, because both the terminal and npm send a signal for Ctrl-C. */
const SAME_REQUEST_MS = 700;
const INTERRUPTED = 130;

const root = path.resolve(import.meta.dirname, '../..');
process.chdir(root);
const [tool, ...args] = process.argv.slice(2);
const dataDir = path.resolve(process.env['DATA_DIR'] || '.data');
/** True if this process creates the folder for the lock. It is removed again if the tool stores nothing in it. */
const isNewDataDir = !existsSync(dataDir);
mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });

const abort = new AbortController();
/** @type {number | null} */
let stoppingSince_ms = null;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    if (stoppingSince_ms !== null && Date.now() - stoppingSince_ms > SAME_REQUEST_MS) process.exit(INTERRUPTED);
    stoppingSince_ms ??= Date.now();
    abort.abort();
  });
}

/**
 * Returns the text to print for an error. Errors of tools and of the configuration have messages for users. All other
 * errors are printed with their stack trace.
 * @param {unknown} error
 */
function messageFor(error) {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'ConfigurationError') return `The configuration is wrong:\n${error.message.replace(/^/gm, '  ')}`;
  return error.name === 'ToolError' || error.name === 'Error' ? error.message : (error.stack ?? error.message);
}

/** @param {unknown} error */
function reportError(error) {
  if (abort.signal.aborted) {
    process.stderr.write('\nStopped before it was done.\n');
    process.exitCode = INTERRUPTED;
    return;
  }
  process.stderr.write(`\n${messageFor(error)}\n`);
  process.exitCode = 1;
}

/** @type {Awaited<ReturnType<typeof acquireLock>> | null} */
let lock = null;
const progress = createProgress();
try {
  await prepareCheckout(root, progress.step, abort.signal, { deploys: false });
  progress.done();
  lock = await acquireLock(path.join(dataDir, 'launcher.lock')).catch((error) => {
    // If the product is running or starting, it holds the lock. The tool then runs in parallel without the lock.
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
  reportError(error);
} finally {
  lock?.release();
  if (isNewDataDir) removeIfEmpty(dataDir);
}

/** @param {string} folder */
function removeIfEmpty(folder) {
  try {
    rmdirSync(folder);
  } catch {
    // The tool has stored something in the folder.
  }
}
