// @ts-check
/**
 * Deploys remotes that are already built, for example those in the container image, with `front-ends [name… | all]`.
 * Without a name, it deploys only remotes that have no live deployment, or one with an older contract version, which
 * the shell no longer loads. An older image therefore never replaces a newer deployment. `front-ends rollback <name>`
 * makes the previous deployment live again.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readArtifact } from './artifact.mjs';
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
  const names = requested
    .filter((name) => built.has(/** @type {RemoteName} */ (name)))
    .map((name) => /** @type {RemoteName} */ (name));
  if (names.length < requested.length || (isRollback && names.length === 0)) {
    process.stderr.write(`Name remotes that are built here: ${[...built.keys()].join(', ')}\n`);
    return 2;
  }
  const { remotes } = await readRegistry(mfDir);
  for (const [name, { dist, artifact }] of built) {
    const isOutdated = (remotes[name]?.contractVersion ?? 0) < artifact.contractVersion;
    const isWanted = args.length > 0 ? names.includes(name) : isOutdated;
    if (!isWanted) continue;
    const deployment = await (isRollback ? rollback({ mfDir, name }) : deploy({ mfDir, dist, artifact }));
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
    const dist = path.join(rootDir, folder, 'dist');
    const artifact = folder.startsWith('mf-') ? await readArtifact(dist) : null;
    if (artifact) built.set(folder, { dist, artifact });
  }
  return built;
}
