/**
 * Puts up remotes that were built elsewhere, as they lie in the image: `front-ends [name… | all]`; or goes back: `front-ends rollback <name>`.
 * Without a name, only what is not live at all: an image that is older than what a team has put up since never takes that back.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readArtifact } from './artifact.mjs';
import { deploy, readRegistry, rollback } from './registry.mjs';

/** @typedef {import('../../ui/src/host/contract.ts').RemoteName} RemoteName */
/** @typedef {Omit<import('../../ui/src/host/contract.ts').RegistryEntry, 'deployedAt'>} Artifact */

/**
 * Answers the exit code.
 * @param {readonly string[]} args
 * @param {{ env: NodeJS.ProcessEnv, rootDir: string }} context
 */
export async function main(args, { env, rootDir }) {
  const mfDir = path.resolve(rootDir, env['MF_DIR'] || '.build/mf');
  const built = await builtRemotes(rootDir);
  const isRollback = args[0] === 'rollback';
  const asked = isRollback ? args.slice(1) : args.includes('all') ? [...built.keys()] : args;
  const names = asked
    .filter((name) => built.has(/** @type {RemoteName} */ (name)))
    .map((name) => /** @type {RemoteName} */ (name));
  if (names.length < asked.length || (isRollback && names.length === 0)) {
    process.stderr.write(`Name remotes that are built here: ${[...built.keys()].join(', ')}\n`);
    return 2;
  }
  const { remotes } = await readRegistry(mfDir);
  for (const [name, { dist, artifact }] of built) {
    const isWanted = args.length > 0 ? names.includes(name) : !(name in remotes);
    if (!isWanted) continue;
    const { entry, before } = await (isRollback ? rollback({ mfDir, name }) : deploy({ mfDir, dist, artifact }));
    process.stdout.write(
      `${name.padEnd(13)} ${entry.hash} is live${before && before !== entry.hash ? ` (before: ${before})` : ''}\n`,
    );
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
