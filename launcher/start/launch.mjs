// @ts-check
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { acquireLock, AlreadyRunning } from './lock.mjs';
import { prepareCheckout } from './prepare.mjs';
import { isRunning } from './process-identity.mjs';
import { createProgress } from './progress.mjs';

/** Two signals within this time count as one request, because both the terminal and npm send a signal for Ctrl-C. */
const SAME_REQUEST_MS = 700;
/** Time limit for a clean shutdown during the start. When it is exceeded, the process ends with an error. */
const STOP_LIMIT_MS = 10_000;
const NPM_CHECK_MS = 500;

const root = path.resolve(import.meta.dirname, '../..');
// The root of the checkout becomes the current folder, because paths in the configuration are relative to it.
process.chdir(root);
const dataDir = path.resolve(process.env['DATA_DIR'] || '.data');
const progress = createProgress();

/** @typedef {import('../embedded/main.ts').LaunchedProduct} Product */
/** @typedef {Awaited<ReturnType<typeof acquireLock>>} Lock */

/** @type {Lock | null} */
let lock = null;
/** @type {Product | null} */
let product = null;
/** @type {number | null} */
let stoppingSince_ms = null;
let exitCode = 0;
const abort = new AbortController();

/** @param {number} code */
function exit(code) {
  lock?.release();
  process.exit(code);
}

/** @param {string} message */
function reportError(message) {
  progress.failed();
  process.stderr.write(`\n${message}\n`);
}

/**
 * Stops all parts in order and ends the process. A second request to stop ends the process immediately. In that case,
 * Postgres may still be running, and the next start stops it.
 * @param {number} code
 * @param {string} reason
 */
async function shutDown(code, reason) {
  if (stoppingSince_ms !== null) {
    if (Date.now() - stoppingSince_ms > SAME_REQUEST_MS) exit(130);
    return;
  }
  stoppingSince_ms = Date.now();
  exitCode = code;
  progress.step(`Stopping (${reason})`);
  const limit_ms = product?.stopLimit_ms ?? STOP_LIMIT_MS;
  setTimeout(() => {
    reportError(`Not everything stopped within ${limit_ms / 1000} s.`);
    exit(1);
  }, limit_ms).unref();
  abort.abort(new Error('Stopped before it was ready.'));
  if (product === null) return;
  await product.stop();
  progress.done();
  exit(code);
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => void shutDown(0, signal));
}

/** @param {string} reason */
function fail(reason) {
  if (stoppingSince_ms !== null) return;
  reportError(reason);
  void shutDown(1, 'after a failure');
}

/**
 * Stops the product when the npm process that started it ends, so that the port and DATA_DIR become free.
 * @param {Lock} held
 */
function stopWithNpm({ npm }) {
  if (npm === null) return;
  setInterval(() => {
    if (stoppingSince_ms === null && !isRunning(npm)) void shutDown(0, 'its npm has ended');
  }, NPM_CHECK_MS).unref();
}

async function launch() {
  // If root starts the product, Postgres runs as another user. That user must be able to enter this folder.
  mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  lock = await acquireLock(path.join(dataDir, 'launcher.lock'));
  stopWithNpm(lock);
  await prepareCheckout(root, progress.step, abort.signal);
  abort.signal.throwIfAborted();
  /** @type {typeof import('../embedded/main.ts')} */
  const { startProduct } = await import(new URL('../dist/embedded.mjs', import.meta.url).href);
  product = await startProduct(
    { env: process.env, rootDir: root, dataDir, progress: progress.step, onFailure: fail },
    abort.signal,
  );
  abort.signal.throwIfAborted();
  progress.done();
  lock.announce(product.url);
  process.stdout.write(`Alpenglow is ready at ${product.url}\n`);
}

process.on('uncaughtException', (error) => fail(error.stack ?? String(error)));

try {
  await launch();
} catch (error) {
  if (stoppingSince_ms !== null) {
    progress.done();
    exit(exitCode);
  }
  if (error instanceof AlreadyRunning) {
    reportError(
      `Alpenglow is already running with DATA_DIR=${path.relative(root, dataDir) || dataDir}: ${error.message}. ` +
        'Stop it first, or set another DATA_DIR.',
    );
  } else {
    // The messages of these errors are written for users. Any other error is unexpected, so its stack trace is printed.
    const known =
      error instanceof Error && /^(ConfigurationError|LaunchError|BackingServiceUnreachable|Error)$/.test(error.name)
        ? error
        : null;
    const details =
      known?.name === 'ConfigurationError'
        ? `The configuration is wrong:\n${known.message.replace(/^/gm, '  ')}`
        : known?.message;
    reportError(
      known ? `Alpenglow could not start. ${details}` : String((error instanceof Error && error.stack) || error),
    );
  }
  exit(1);
}
