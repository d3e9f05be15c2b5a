// @ts-check
/**
 * Deploys remotes that are already built with `front-ends`, the program of the container image:
 *
 *   front-ends                         deploys the remotes of the image for which its shell has no live build. An older
 *                                      image therefore never replaces a newer deployment. It also stores the files of
 *                                      its shell
 *   front-ends <name…> | all           deploys these remotes of the image
 *   front-ends install <file> | -      deploys an archive (archive.mjs), `-` from the standard input
 *   front-ends rollback <name> [--to <hash>]   makes an earlier build live again
 *   front-ends public-key              prints the public key of FRONT_END_PRIVATE_KEY, for FRONT_END_KEYS of the shell
 *
 * With `--ahead`, it also deploys a build that only a later shell can run. With `--preview`, the build does not become
 * live, and only browsers with its link get it (deploy.mjs). With `--canary <n>`, n percent of browsers get it.
 * `--force` records that the deployer has not checked the build.
 */
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readArchive, unpackBuild } from './archive.mjs';
import { findBuild, readArtifact } from './artifact.mjs';
import { KIND_OPTIONS, toKind } from './deploy-options.mjs';
import { deploy, describeDeployment, findLive, readHistory, readRegistry, rollback } from './registry.mjs';
import { offerOf, readShells, tryToRecordShell } from './shell-compatibility.mjs';
import { tryToStoreShell } from './shell-files.mjs';
import { deployKeys, findTrustErrors, publicKeyOf, signingKey } from './signing.mjs';

/** @typedef {import('../../ui/src/host/contract.ts').RemoteName} RemoteName */
/** @typedef {import('./registry.mjs').Artifact} Artifact */

/** The beginning of the names of temporary folders. */
const INCOMING = '.incoming-';
/** The age from which a temporary folder is deleted. An installation takes some seconds. */
const ABANDONED_AFTER_ms = 3_600_000;

/** An error in the arguments. Its exit code is 2. */
class UsageError extends Error {}

/**
 * Runs the command line and returns the exit code.
 * @param {readonly string[]} args
 * @param {{ env: NodeJS.ProcessEnv, rootDir: string }} context
 */
export async function main(args, { env, rootDir }) {
  try {
    await run(args, { env, mfDir: path.resolve(rootDir, env['MF_DIR'] || '.build/mf'), rootDir });
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}

/**
 * @param {readonly string[]} args
 * @param {{ env: NodeJS.ProcessEnv, mfDir: string, rootDir: string }} context
 */
async function run(args, { env, mfDir, rootDir }) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...KIND_OPTIONS, to: { type: 'string' } },
  });
  const [command, ...rest] = positionals;
  const ownShell = offerOf(await readArtifact(path.join(rootDir, 'shell/dist')));
  // The live shell is the one that was started last.
  const shell = readShells(mfDir)[0] ?? ownShell;
  const kind = toKind(values);
  /** @param {Parameters<typeof describeDeployment>[0]} deployment */
  const report = (deployment) => {
    process.stdout.write(`${describeDeployment(deployment)}\n`);
  };

  if (command === 'public-key') {
    const privateKey = signingKey(env, mfDir);
    if (privateKey === null) throw new UsageError('FRONT_END_PRIVATE_KEY is not set');
    process.stdout.write(`${publicKeyOf(privateKey)}\n`);
    return;
  }
  const keys = deployKeys(env, mfDir);
  if (command === 'install') {
    const [file, ...others] = rest;
    if (file === undefined || others.length > 0) throw new UsageError('Name one archive, or - for the standard input');
    const archive = await readArchive(file === '-' ? process.stdin : createReadStream(file));
    await withUnpacked(mfDir, archive, keys.trust, async (build) =>
      report(await deploy({ mfDir, ...build, shell, ...kind, keys })),
    );
    return;
  }
  if (command === 'rollback') {
    const deployed = Object.keys((await readRegistry(mfDir)).remotes);
    const [name, ...others] = rest;
    if (name === undefined || others.length > 0 || !deployed.includes(name))
      throw new UsageError(`Name a deployed remote: ${deployed.join(', ')}`);
    report(await rollback({ mfDir, name, shell, to: values.to, keys }));
    return;
  }
  const built = await builtRemotes(rootDir);
  const names = positionals.includes('all') ? [...built.keys()] : positionals;
  if (names.some((name) => !built.has(name)))
    throw new UsageError(`Name remotes that are built here: ${[...built.keys()].join(', ')}`);
  if (names.length > 0) {
    for (const name of names) {
      const build = built.get(name);
      if (build) report(await deploy({ mfDir, ...build, shell, ...kind, keys }));
    }
    return;
  }
  // The shell of this image is started afterwards. Servers with another version then serve its files, too.
  if (ownShell.hash !== '') await tryToStoreShell({ mfDir, distDir: path.join(rootDir, 'shell/dist'), keys });
  tryToRecordShell(mfDir, ownShell);
  for (const [name, build] of built) {
    if (!findLive(await readHistory(mfDir, name), ownShell, keys.trust))
      report(await deploy({ mfDir, ...build, shell: ownShell, keys }));
  }
}

/**
 * Unpacks an archive with a valid signature into a temporary folder.
 * @param {string} mfDir
 * @param {Uint8Array} archive
 * @param {import('./signing.mjs').Trust} trust
 * @param {(build: { dist: string, artifact: Artifact }) => Promise<void>} work
 */
async function withUnpacked(mfDir, archive, trust, work) {
  await mkdir(mfDir, { recursive: true });
  await removeAbandoned(mfDir);
  // The folder is on the volume of the remotes, because the rest of a container is read-only.
  const dist = await mkdtemp(path.join(mfDir, INCOMING));
  try {
    const artifact = await unpackBuild(archive, dist, (described) => {
      const [untrusted] = findTrustErrors(described, trust);
      if (untrusted) throw new Error(`${described.name} ${described.hash} ${untrusted}`);
    });
    await work({ dist, artifact });
  } finally {
    await rm(dist, { recursive: true, force: true });
  }
}

/**
 * Deletes the temporary folders of installations that were killed.
 * @param {string} mfDir
 */
async function removeAbandoned(mfDir) {
  for (const name of await readdir(mfDir)) {
    if (!name.startsWith(INCOMING)) continue;
    const folder = path.join(mfDir, name);
    const age_ms = await stat(folder).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age_ms > ABANDONED_AFTER_ms) await rm(folder, { recursive: true, force: true });
  }
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
