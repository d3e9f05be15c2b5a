// @ts-check
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { acquireLock, AlreadyRunning } from './lock.mjs';
import { prepare } from './prepare.mjs';
import { isRunning } from './process-identity.mjs';
import { createProgress } from './progress.mjs';

/** npm passes Ctrl-C on although the terminal did already; two signals this close are one wish. */
const SAME_WISH_MS = 700;
/** A clean shutdown takes no longer than this. */
const STOP_LIMIT_MS = 10_000;
const NPM_CHECK_MS = 500;

const root = path.resolve(import.meta.dirname, '../../..');
// Relative paths in the configuration mean the same from wherever this is called.
process.chdir(root);
const dataDir = path.resolve(process.env['DATA_DIR'] || '.data');
const progress = createProgress();

/** @typedef {import('../main.ts').LaunchedProduct} Product */
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
function complain(message) {
  progress.failed();
  process.stderr.write(`\n${message}\n`);
}

/**
 * Stops everything in order and ends the process; asked a second time, ends it at once. The next start copes with
 * whatever that leaves.
 * @param {number} code
 * @param {string} why
 */
async function shutDown(code, why) {
  if (stoppingSince_ms !== null) {
    if (Date.now() - stoppingSince_ms > SAME_WISH_MS) exit(130);
    return;
  }
  stoppingSince_ms = Date.now();
  exitCode = code;
  progress.step(`Stopping (${why})`);
  setTimeout(() => {
    complain(`Not everything stopped within ${STOP_LIMIT_MS / 1000} s.`);
    exit(1);
  }, STOP_LIMIT_MS).unref();
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
  complain(reason);
  void shutDown(1, 'after a failure');
}

/** A killed npm must not leave a product behind that keeps the port and DATA_DIR. @param {Lock} held */
function stopWithNpm({ npm }) {
  if (npm === null) return;
  setInterval(() => {
    if (stoppingSince_ms === null && !isRunning(npm)) void shutDown(0, 'its npm is gone');
  }, NPM_CHECK_MS).unref();
}

async function launch() {
  // As root, Postgres runs as another user, who must be able to pass through.
  mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
  lock = await acquireLock(path.join(dataDir, 'launcher.lock'));
  stopWithNpm(lock);
  await prepare(root, progress.step, abort.signal);
  abort.signal.throwIfAborted();
  /** @type {typeof import('../main.ts')} */
  const { startProduct } = await import(new URL('../../dist/embedded.mjs', import.meta.url).href);
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
    complain(
      `Alpenglow is already running with DATA_DIR=${path.relative(root, dataDir) || dataDir}: ${error.message}. Stop it first, or set another DATA_DIR.`,
    );
  } else {
    // What the launcher and the configuration say is written for people; anything else needs its stack.
    const known = error instanceof Error && /^(ConfigurationError|LaunchError|Error)$/.test(error.name) ? error : null;
    const words =
      known?.name === 'ConfigurationError'
        ? `The configuration is wrong:\n${known.message.replace(/^/gm, '  ')}`
        : known?.message;
    complain(known ? `Alpenglow could not start. ${words}` : String((error instanceof Error && error.stack) || error));
  }
  exit(1);
}
