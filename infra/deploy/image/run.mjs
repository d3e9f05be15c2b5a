// @ts-check
/**
 * Starts the programs of the image: `run.mjs <service or tool> [argument…]`. This script is used instead of a shell or
 * npm, so that signals reach the service itself. A service runs until it is stopped; a tool ends when its work is done.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.resolve(import.meta.dirname, '../../..');
const bundles = path.join(root, 'launcher/dist');
/** Tools that are not bundled. */
const SCRIPTS = new Map([['front-ends', path.join(root, 'shell/build/deploy-built.mjs')]]);
/** Matches the names of programs. Other files contain code that several programs share, and have numbers as names. */
const NAME = /^[a-z][a-z-]*$/u;

/** @param {string} name */
function scriptOf(name) {
  const script = SCRIPTS.get(name) ?? path.join(bundles, `${name}.mjs`);
  return NAME.test(name) && existsSync(script) ? script : null;
}

function programNames() {
  const built = existsSync(bundles) ? readdirSync(bundles).filter((file) => file.endsWith('.mjs')) : [];
  return [
    ...built.map((file) => path.basename(file, '.mjs')).filter((name) => NAME.test(name)),
    ...SCRIPTS.keys(),
  ].sort();
}

const [name = '', ...args] = process.argv.slice(2);
const script = scriptOf(name);
if (script === null) {
  process.stderr.write(
    `${name === '' ? 'Name the program to start' : `There is no ${name}`}: ${programNames().join(', ')}\n`,
  );
  process.exit(2);
}
// Relative paths in the configuration refer to the root folder, even if the script is started in another folder.
process.chdir(root);
process.argv = [process.execPath, script, ...args];
const { main } = await import(pathToFileURL(script).href);
if (typeof main === 'function') {
  // The first signal allows a tool to remove its temporary data. The second signal ends it at once.
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
