// @ts-check
/**
 * Turns the files that Rspack has written into the result of a build. A build writes into a separate folder. Then
 * `<package>/dist`, a symbolic link, changes to this folder in one step. So a build that fails changes nothing, and a
 * running server keeps the folder with which it has started.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { cp, lstat, mkdir, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { compressFiles, describeFiles, writeArtifact } from './artifact.mjs';
import { describeRemote, describeServerBundle, filesOfChunks, filesOfEntry, isLanguage } from './describe-remote.mjs';
import { isAlive } from './file-lock.mjs';
import { computeInputHash } from './input-hash.mjs';
import { findTokens, providedPackages } from './shared-modules.mjs';
import { findUnsupportedFeatures } from './supported-browsers.mjs';
import { CONTRACT_VERSION, OFFERED_CONTRACTS, ROOT, SHELL, distDir } from './packages.mjs';

/** @typedef {import('@rspack/core').StatsCompilation} StatsCompilation */

/** The number of retained builds per front end. In addition, the builds of running servers are retained. */
const RETAINED_BUILDS = 10;

/** @param {string} name */
const buildsDir = (name) => path.join(ROOT, '.build/front-ends', name);

/**
 * Returns the folder into which this process builds a front end.
 * @param {string} name
 */
export const incomingDir = (name) => path.join(buildsDir(name), `incoming.${process.pid}`);

/** Publishes the result of a build when all of its bundles are compiled without errors. */
export class FinishBuildPlugin {
  /**
   * @param {string} name
   * @param {number} bundles   the number of configurations that have this plugin
   */
  constructor(name, bundles) {
    this.name = name;
    this.bundles = bundles;
    /** @type {import('@rspack/core').Stats[]} */
    this.finished = [];
    /** The hash of the sources from before the build. */
    this.stamp = computeInputHash(name);
    // An ended process with the same id may have left files. The bundlers do not clean the folder, because several of
    // them write into it.
    rmSync(incomingDir(name), { recursive: true, force: true });
  }

  /** @param {import('@rspack/core').Compiler} compiler */
  apply(compiler) {
    compiler.hooks.watchRun.tap('FinishBuildPlugin', () => {
      if (this.finished.length === 0) this.stamp = computeInputHash(this.name);
    });
    compiler.hooks.done.tapPromise('FinishBuildPlugin', async (stats) => {
      this.finished.push(stats);
      if (this.finished.length < this.bundles) return;
      const all = this.finished.splice(0);
      if (all.some((one) => one.hasErrors() || one.hasWarnings())) {
        await rm(incomingDir(this.name), { recursive: true, force: true });
        process.stderr.write(`${this.name} was not published, because its build has warnings or errors\n`);
        process.exitCode = 1;
        return;
      }
      const unsupported = await findUnsupportedFeatures(incomingDir(this.name));
      if (unsupported.length > 0) {
        await rm(incomingDir(this.name), { recursive: true, force: true });
        process.stderr.write(
          `${this.name} was not published, because a supported browser lacks:\n${unsupported.join('\n')}\n`,
        );
        process.exitCode = 1;
        return;
      }
      const browser = all.find(({ compilation }) => compilation.options.name === this.name);
      if (!browser) throw new Error(`${this.name} has no bundle for browsers`);
      // If a source has changed during the build, the result may contain both versions. The next build must not take it
      // for the result of one of them.
      const stamp = computeInputHash(this.name) === this.stamp ? this.stamp : randomBytes(32).toString('hex');
      await publish(this.name, stamp, browser.toJson({ all: false, entrypoints: true, chunkGroups: true }));
    });
  }
}

/**
 * Describes and compresses the files of a build, and makes them the current build of the front end.
 * @param {string} name
 * @param {string} stamp   the hash of the sources
 * @param {StatsCompilation} groups
 */
async function publish(name, stamp, groups) {
  const incoming = incomingDir(name);
  const described = name === SHELL ? await finishShell(incoming, groups) : await finishRemote(name, incoming, groups);
  await writeArtifact(incoming, { stamp, ...described });
  const folder = path.join(buildsDir(name), stamp.slice(0, 16));
  await rename(incoming, folder).catch(async (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    // The same sources have the same result, which a running server may use.
    await rm(incoming, { recursive: true });
  });
  await link(distDir(name), folder);
  await removeOldBuilds(name, folder);
}

/**
 * Returns the time of the last change of a file or folder, or 0 if another process has deleted it.
 * @param {string} location
 */
const modifiedAt_ms = (location) =>
  stat(location).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

/**
 * Makes `dist` a symbolic link to a folder in one step.
 * @param {string} dist
 * @param {string} folder
 */
async function link(dist, folder) {
  const isFolder = await lstat(dist).then(
    (found) => found.isDirectory(),
    () => false,
  );
  // Earlier versions of this script wrote the files into this folder.
  if (isFolder) await rm(dist, { recursive: true });
  const temporary = `${dist}.${process.pid}.tmp`;
  await rm(temporary, { force: true });
  await symlink(path.relative(path.dirname(dist), folder), temporary);
  await rename(temporary, dist);
}

/**
 * Returns the folders of the builds that running servers use (shell/server/build-in-use.ts).
 * @param {readonly string[]} files  all files in the folder of the builds
 */
const foldersInUse = (files) =>
  new Set(
    files.flatMap((file) => {
      const { folder, pid } = /^(?<folder>[0-9a-f]{16})\.in-use\.(?<pid>\d+)$/u.exec(file)?.groups ?? {};
      return folder !== undefined && isAlive(Number(pid)) ? [folder] : [];
    }),
  );

/**
 * Removes old builds that no running server uses, and the files of builds that were interrupted. Another build may do
 * the same at the same time.
 * @param {string} name
 * @param {string} current
 */
async function removeOldBuilds(name, current) {
  const dir = buildsDir(name);
  const folders = await readdir(dir);
  const used = foldersInUse(folders);
  const builds = await Promise.all(
    folders
      .filter((folder) => /^[0-9a-f]{16}$/u.test(folder) && path.join(dir, folder) !== current)
      .map(async (folder) => ({ folder, at_ms: await modifiedAt_ms(path.join(dir, folder)) })),
  );
  const old = builds
    .sort((a, b) => b.at_ms - a.at_ms)
    .slice(RETAINED_BUILDS - 1)
    .map(({ folder }) => folder)
    .filter((folder) => !used.has(folder));
  const interrupted = folders.filter((folder) => {
    const pid = Number(/^(?:incoming|[0-9a-f]{16}\.in-use)\.(\d+)$/u.exec(folder)?.[1]);
    return pid > 0 && !isAlive(pid);
  });
  for (const folder of [...old, ...interrupted]) await rm(path.join(dir, folder), { recursive: true, force: true });
}

/**
 * Copies the public files and compresses all files. Returns the description of the build, which the shell's server
 * reads.
 * @param {string} dir
 * @param {StatsCompilation} groups
 */
export async function finishShell(dir, groups) {
  const assets = path.join(dir, 'assets');
  const server = await describeServerBundle(dir);
  const { hash, sizeBytes } = await describeFiles(assets, server?.integrity ?? '');
  await mkdir(dir, { recursive: true });
  await cp(path.join(ROOT, SHELL, 'public'), dir, { recursive: true });
  await Promise.all([compressFiles(assets), compressFiles(dir)]);
  const entry = filesOfEntry(groups, SHELL);
  const { declared } = await findTokens(assets);
  return {
    hash,
    sizeBytes,
    contractVersion: CONTRACT_VERSION,
    contracts: OFFERED_CONTRACTS,
    packages: providedPackages(),
    tokens: declared,
    server,
    texts: filesOfChunks(groups, isLanguage),
    scripts: entry.filter((file) => file.endsWith('.js')),
    styles: entry.filter((file) => file.endsWith('.css')),
    chunks: filesOfChunks(groups, (name) => !isLanguage(name)),
    fonts: (await readdir(assets)).filter((file) => file.endsWith('.woff2')),
  };
}

/**
 * Returns the description of a remote.
 * @throws {Error} if the remote does not work with a contract version with which it was built, or if another value of
 * its `package.json` is invalid
 * @param {string} name
 * @param {string} dir
 * @param {StatsCompilation} groups
 */
async function finishRemote(name, dir, groups) {
  const packageDir = path.join(ROOT, name);
  return describeRemote({ name, dir, packageDir, rootDir: ROOT, groups, contracts: OFFERED_CONTRACTS });
}
