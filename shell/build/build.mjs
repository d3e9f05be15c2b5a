// @ts-check
/**
 * Builds front ends with `node shell/build/build.mjs [name…]`, like `rspack build` in their packages. Without names, it
 * builds all of them. It skips a front end whose inputs have not changed.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findBuild, readArtifact } from './artifact.mjs';
import { computeInputHash } from './input-hash.mjs';
import { BROWSER_PACKAGES, ROOT, distDir, namesFrom } from './packages.mjs';

/**
 * Builds the packages in `names`. Skips a package whose build is up to date.
 * @param {readonly string[]} names
 * @param {(line: string) => void} report  receives one line per package
 * @throws {Error} with the compiler's messages if a package does not build
 */
export async function buildBrowserPackages(names = BROWSER_PACKAGES, report = console.log) {
  for (const name of names) {
    const started_ms = Date.now();
    const stamp = computeInputHash(name);
    if ((await readArtifact(distDir(name)))?.stamp === stamp) {
      report(`${name.padEnd(13)} unchanged`);
      continue;
    }
    await compile(name);
    const { sizeBytes } = await readArtifact(distDir(name));
    report(`${name.padEnd(13)} built in ${Date.now() - started_ms} ms, ${Math.round(sizeBytes / 1024)} KB`);
  }
}

/**
 * Returns the folder and the description of the last build of a front end.
 * @param {string} name
 * @throws {Error} if there is none
 */
export async function requireBuild(name) {
  const build = await findBuild(distDir(name));
  if (!build) throw new Error(`${name} has not been built`);
  return build;
}

/**
 * Compiles a front end with its `rspack.config.mjs`.
 * @param {string} name
 * @param {Record<string, unknown>} [env]  the options that `rspack build --env` would pass
 * @throws {Error} with the compiler's messages if it does not compile
 */
export async function compile(name, env) {
  const file = path.join(ROOT, name, 'rspack.config.mjs');
  const { default: defined } = await import(pathToFileURL(file).href);
  // The compiler is imported only if a package must be compiled, because the import is slow.
  const { rspack } = await import('@rspack/core');
  /** @type {import('@rspack/core').MultiRspackOptions} */
  const configs = [typeof defined === 'function' ? defined(env) : defined].flat();
  const compiler = rspack(configs);
  /** @type {import('@rspack/core').MultiStats} */
  const stats = await new Promise((resolve, reject) =>
    compiler.run((error, result) => (result ? resolve(result) : reject(error ?? new Error(`${name} was not built`)))),
  );
  await new Promise((resolve) => compiler.close(resolve));
  if (stats.hasErrors() || stats.hasWarnings())
    throw new Error(`${name} does not build:\n${stats.toString({ preset: 'errors-warnings', colors: false })}`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await buildBrowserPackages(namesFrom(process.argv.slice(2), BROWSER_PACKAGES));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
