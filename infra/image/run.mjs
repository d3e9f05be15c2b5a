// @ts-check
/**
 * What the image starts: `run.mjs <service or tool> [argument…]`. It takes the place of a shell or npm, so that signals reach the service itself.
 * A service runs until it is told to stop; a tool does its work and ends.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '../..');
const bundles = path.join(root, 'infra/dist');
/** Tools that need no bundle. */
const SCRIPTS = new Map([['front-ends', path.join(root, 'shell/build/deploy-built.mjs')]]);
/** Parts that bundles share have numbers. */
const NAME = /^[a-z][a-z-]*$/u;

/** @param {string} name */
function scriptOf(name) {
  const script = SCRIPTS.get(name) ?? path.join(bundles, `${name}.mjs`);
  return NAME.test(name) && existsSync(script) ? script : null;
}

function known() {
  const built = existsSync(bundles) ? readdirSync(bundles).filter((file) => file.endsWith('.mjs')) : [];
  return [
    ...built.map((file) => path.basename(file, '.mjs')).filter((name) => NAME.test(name)),
    ...SCRIPTS.keys(),
  ].sort();
}

const [name = '', ...args] = process.argv.slice(2);
const script = scriptOf(name);
if (script === null) {
  process.stderr.write(`${name === '' ? 'Say what to start' : `There is no ${name}`}: ${known().join(', ')}\n`);
  process.exit(2);
}
// Relative paths in the configuration mean the same from wherever this is called.
process.chdir(root);
process.argv = [process.execPath, script, ...args];
const { main } = await import(pathToFileURL(script).href);
if (typeof main === 'function') {
  // A tool clears up after itself when it is told to stop; told twice, it ends at once.
  const abort = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'])
    process.on(signal, () => (abort.signal.aborted ? process.exit(1) : abort.abort()));
  try {
    process.exitCode = await main(args, { env: process.env, rootDir: root, ownsDataDir: false, signal: abort.signal });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
