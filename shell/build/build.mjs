// @ts-check
/**
 * Builds browser packages with `node shell/build/build.mjs [name…]`. Without names, it builds all packages. It skips a
 * package whose inputs have not changed.
 */
import { createHash } from 'node:crypto';
import { cp, readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { compressFiles, describeFiles, readArtifact, writeArtifact } from './artifact.mjs';
import {
  BROWSER_PACKAGES,
  CONTRACT_VERSION,
  REMOTE_ENTRY,
  ROOT,
  SERVER_BUNDLE,
  SERVER_DIR,
  SHELL,
  distDir,
} from './packages.mjs';
import { computeInputHash } from './input-hash.mjs';

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
    const artifact = await build(name, stamp);
    report(`${name.padEnd(13)} built in ${Date.now() - started_ms} ms, ${Math.round(artifact.sizeBytes / 1024)} KB`);
  }
}

/**
 * @param {string} name
 * @param {string} stamp
 */
async function build(name, stamp) {
  const dist = distDir(name);
  await rm(dist, { recursive: true, force: true });
  const stats = await compileForBrowsers(name);
  const groups = stats.toJson({ all: false, entrypoints: true, chunkGroups: true });
  const artifact = name === SHELL ? await finishShell(dist, groups) : await finishRemote(name, dist, groups);
  await writeArtifact(dist, { stamp, ...artifact });
  return artifact;
}

/** @param {string} name */
async function compileForBrowsers(name) {
  // The compiler is imported only if a package must be compiled, because the import is slow.
  const { browserConfig } = await import('./config.mjs');
  return compile(name, browserConfig({ name, role: name === SHELL ? 'host' : 'remote' }));
}

/**
 * Builds the bundle with which the server renders a package. Returns its integrity value.
 * @param {string} name
 */
async function compileForServer(name) {
  const { serverConfig } = await import('./config.mjs');
  await compile(name, serverConfig({ name }));
  const bytes = await readFile(path.join(distDir(name), SERVER_DIR, SERVER_BUNDLE));
  return { integrity: `sha384-${createHash('sha384').update(bytes).digest('base64')}` };
}

/**
 * @param {string} name
 * @param {import('@rspack/core').Configuration} config
 */
async function compile(name, config) {
  const { rspack } = await import('@rspack/core');
  const compiler = rspack(config);
  const stats = await new Promise((resolve, reject) =>
    compiler.run((error, result) => (error ? reject(error) : resolve(result))),
  );
  await new Promise((resolve) => compiler.close(resolve));
  if (stats.hasErrors() || stats.hasWarnings()) {
    throw new Error(`${name} does not build:\n${stats.toString({ preset: 'errors-warnings', colors: false })}`);
  }
  return stats;
}

const assetNames = (/** @type {{ assets?: readonly { name: string }[] } | undefined} */ group) =>
  (group?.assets ?? []).map((asset) => asset.name).filter((file) => /\.(?:js|css)$/u.test(file));

/**
 * Returns the text files of a package by language. A chunk that contains texts has the name of its language, e.g. `de`
 * (see `text.ts`).
 * @param {import('@rspack/core').StatsCompilation} groups
 * @returns {Record<string, string[]>}
 */
const textFiles = (groups) =>
  Object.fromEntries(
    Object.keys(groups.namedChunkGroups ?? {})
      .filter((name) => /^[a-z]{2}$/u.test(name))
      .map((name) => [name, assetNames(groups.namedChunkGroups?.[name])]),
  );

/**
 * Returns the files of the lazily loaded pages by chunk name.
 * @param {import('@rspack/core').StatsCompilation} groups
 * @returns {Record<string, string[]>}
 */
const chunkFiles = (groups) =>
  Object.fromEntries(
    Object.keys(groups.namedChunkGroups ?? {})
      .filter((name) => !/^[a-z]{2}$/u.test(name) && name !== 'app')
      .map((name) => [name, assetNames(groups.namedChunkGroups?.[name])]),
  );

/**
 * Copies the public files and compresses all files. Returns the description of the build, which the shell's server
 * reads.
 * @param {string} dist
 * @param {import('@rspack/core').StatsCompilation} groups
 */
export async function finishShell(dist, groups) {
  const assets = path.join(dist, 'assets');
  const server = await compileForServer(SHELL);
  const { hash, sizeBytes } = await describeFiles(assets, server.integrity);
  await cp(path.join(ROOT, SHELL, 'public'), dist, { recursive: true });
  await Promise.all([compressFiles(assets), compressFiles(dist)]);
  const entry = assetNames(groups.entrypoints?.shell);
  return {
    hash,
    sizeBytes,
    server,
    texts: textFiles(groups),
    scripts: entry.filter((file) => file.endsWith('.js')),
    styles: entry.filter((file) => file.endsWith('.css')),
    chunks: chunkFiles(groups),
    fonts: (await readdir(assets)).filter((file) => file.endsWith('.woff2')),
  };
}

/**
 * @param {string} name
 * @param {string} dist
 * @param {import('@rspack/core').StatsCompilation} groups
 */
async function finishRemote(name, dist, groups) {
  const manifest = JSON.parse(await readFile(path.join(ROOT, name, 'package.json'), 'utf8'));
  const { preloadData, preloadPictures, isServerRendered = false } = manifest;
  const server = isServerRendered ? await compileForServer(name) : undefined;
  const declared = { name, contractVersion: CONTRACT_VERSION, preloadData, preloadPictures, server };
  const described = await describeFiles(dist, JSON.stringify(declared));
  await compressFiles(dist);
  return {
    ...declared,
    ...described,
    preload: [REMOTE_ENTRY, ...assetNames(groups.namedChunkGroups?.app)],
    preloadTexts: textFiles(groups),
    chunks: server && chunkFiles(groups),
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !BROWSER_PACKAGES.includes(name));
  if (unknown.length > 0) {
    console.error(`Unknown package: ${unknown.join(', ')}. Known: ${BROWSER_PACKAGES.join(', ')}`);
    process.exit(2);
  }
  try {
    await buildBrowserPackages(names.length > 0 ? names : BROWSER_PACKAGES);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
