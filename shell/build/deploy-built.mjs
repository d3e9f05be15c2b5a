// @ts-check
/**
 * Deploys remotes that are already built, for example those in the container image, with `front-ends [name… | all]`.
 * Without a name, it deploys only remotes that have no live deployment, or one for older contract versions, which the
 * shell no longer loads. An older image therefore never replaces a newer deployment. `front-ends rollback <name>`
 * makes the previous deployment live again.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import isAbove from 'semver/ranges/gtr.js';
import validRange from 'semver/ranges/valid.js';
import { findBuild, readArtifact } from './artifact.mjs';
import { deploy, describeDeployment, readRegistry, rollback } from './registry.mjs';

/** @typedef {import('../../ui/src/host/contract.ts').RemoteName} RemoteName */
/** @typedef {import('./registry.mjs').Artifact} Artifact */

/**
 * Runs the command line and returns the exit code.
 * @param {readonly string[]} args
 * @param {{ env: NodeJS.ProcessEnv, rootDir: string }} context
 */
export async function main(args, { env, rootDir }) {
  const mfDir = path.resolve(rootDir, env['MF_DIR'] || '.build/mf');
  const built = await builtRemotes(rootDir);
  const isRollback = args[0] === 'rollback';
  const requested = isRollback ? args.slice(1) : args.includes('all') ? [...built.keys()] : args;
  const names = requested.filter((name) => built.has(name));
  if (names.length < requested.length || (isRollback && names.length === 0)) {
    process.stderr.write(`Name remotes that are built here: ${[...built.keys()].join(', ')}\n`);
    return 2;
  }
  const { remotes } = await readRegistry(mfDir);
  /** @type {string} */
  const shellContract = (await readArtifact(path.join(rootDir, 'shell/dist'))).contractVersion;
  for (const [name, { dist, artifact }] of built) {
    const range = validRange(remotes[name]?.contract ?? 'none');
    const isOutdated = range === null || isAbove(shellContract, range);
    const isWanted = args.length > 0 ? names.includes(name) : isOutdated;
    if (!isWanted) continue;
    const deployment = await (isRollback
      ? rollback({ mfDir, name, shellContract })
      : deploy({ mfDir, dist, artifact, shellContract }));
    process.stdout.write(`${describeDeployment(deployment)}\n`);
  }
  return 0;
}

/**
 * @param {string} rootDir
 * @returns {Promise<Map<RemoteName, { dist: string, artifact: Artifact }>>}
 */
async function builtRemotes(rootDir) {
  const built = new Map();
  for (const folder of (await readdir(rootDir)).sort()) {
    const build = folder.startsWith('mf-') ? await findBuild(path.join(rootDir, folder, 'dist')) : null;
    if (build) built.set(folder, build);
  }
  return built;
}
