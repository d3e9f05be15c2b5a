// @ts-check
/**
 * Builds outdated remotes and makes them live with `node shell/build/deploy.mjs [option…] [name…]`. Without a name, it
 * deploys all remotes. The shell needs no build and no restart. Open tabs continue to use the previous deployment, and
 * new tabs load the new deployment. Options:
 *
 *   --changed        skips builds that equal the latest deployment; the shell of this checkout is deployed with them
 *   --canary <n>     gives the build to n percent of browsers; the command with another n changes the share of the
 *                    same build, and 100 makes it live
 *   --auto           lets the server raise the share of a good canary to 25, 50 and 100 percent
 *   --preview        stores the build without making it live, and prints a link with which a browser gets it
 *   --force          skips the check of types and tests (check-remote.mjs); the history records it
 *   --ahead          also accepts a build that only a later shell can run
 *   --via <command>  deploys to another site: the command starts `front-ends` there and gets the archive as its input
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { packBuild } from './archive.mjs';
import { readArtifact } from './artifact.mjs';
import { buildBrowserPackages, requireBuild } from './build.mjs';
import { checkRemote } from './check-remote.mjs';
import { KIND_OPTIONS, toFlags, toKind } from './deploy-options.mjs';
import { MF_DIR, OFFERED_CONTRACTS, REMOTE_NAMES, SHELL, distDir, namesFrom } from './packages.mjs';
import { deploy, describeDeployment, needsDeploy } from './registry.mjs';
import { runOnSite } from './run-on-site.mjs';
import { offerOf, readShells, tryToRecordShell } from './shell-compatibility.mjs';
import { tryToStoreShell } from './shell-files.mjs';
import { PREVIEW_days, createPreviewToken, deployKeys, signingKey } from './signing.mjs';

/**
 * Returns what the shell of this checkout offers.
 * @returns {Promise<import('./shell-compatibility.mjs').ShellOffer>}
 */
async function ownShell() {
  const build = await readArtifact(distDir(SHELL));
  return build ? offerOf(build) : { hash: '', contracts: OFFERED_CONTRACTS };
}

/**
 * Returns what the live shell offers, which is the one that was started last. A site that never ran gets that of this
 * checkout.
 * @param {string} mfDir
 */
export const liveShell = async (mfDir) => readShells(mfDir)[0] ?? (await ownShell());

/**
 * The options of a deployment. The command line and `deploy` (registry.mjs) have the same ones.
 * @typedef {Pick<import('./registry.mjs').DeployOptions, 'isAhead' | 'isPreview' | 'canaryPercent' |
 * 'isAutomatic' | 'isForced' | 'endsCanary'>} Kind
 */

/**
 * Deploys the builds of remotes.
 * @param {{ names?: readonly string[], onlyChanged?: boolean, kind?: Kind, mfDir?: string,
 * report?: (line: string) => void }} options
 * @throws {Error} if a remote has not been built, or if the live shell cannot run it
 */
export async function deployRemotes(options = {}) {
  const { names = REMOTE_NAMES, onlyChanged = false, kind = {}, mfDir = MF_DIR, report = console.log } = options;
  // `npm start` starts the shell of this checkout afterwards.
  const shell = onlyChanged ? await ownShell() : await liveShell(mfDir);
  if (onlyChanged) {
    // Servers that run another version serve these files from now on.
    await tryToStoreShell({ mfDir, distDir: distDir(SHELL), keys: deployKeys(process.env, mfDir) });
    tryToRecordShell(mfDir, shell);
  }
  for (const name of names) {
    const build = await requireBuild(name);
    if (onlyChanged && !(await needsDeploy({ mfDir, name, hash: build.artifact.hash, shell }))) continue;
    const deployment = await deploy({ mfDir, ...build, shell, ...kind });
    report(kind.isPreview ? describePreview(build.artifact, mfDir) : describeDeployment(deployment));
  }
}

/**
 * Returns the output lines with the link of a preview.
 * @param {{ name: string, hash: string }} build
 * @param {string} mfDir
 * @throws {Error} if there is no key with which the link can be signed
 */
function describePreview({ name, hash }, mfDir) {
  const privateKey = signingKey(process.env, mfDir);
  if (privateKey === null) throw new Error('FRONT_END_PRIVATE_KEY is not set, so the link cannot be signed');
  const site = process.env['SITE_URL'] || `http://localhost:${process.env['PORT'] || 8080}`;
  const link = new URL(`/preview/${createPreviewToken({ name, hash }, privateKey)}`, site).href;
  return `${name.padEnd(13)} ${hash} is a preview for ${PREVIEW_days} days:\n${link}`;
}

/**
 * Deploys the builds of remotes to another site.
 * @param {string} command  starts `front-ends` of the site, with further arguments
 * @param {readonly string[]} names
 * @param {readonly string[]} flags  options of `front-ends`
 * @param {Kind} kind
 */
async function deployVia(command, names, flags, { isPreview }) {
  const privateKey = signingKey(process.env, MF_DIR);
  for (const name of names) {
    const build = await requireBuild(name);
    await runOnSite(command, ['install', '-', ...flags], await packBuild(build, privateKey));
    if (isPreview) console.log(describePreview(build.artifact, MF_DIR));
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(path.resolve(process.argv[1])).href) {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { ...KIND_OPTIONS, changed: { type: 'boolean' }, via: { type: 'string' } },
    });
    const names = namesFrom(positionals);
    const kind = toKind(values);
    await buildBrowserPackages(names);
    // `npm start` deploys what has changed, and is no decision of a team.
    if (!values.force && !values.changed) for (const name of names) await checkRemote(name);
    if (values.via === undefined) await deployRemotes({ names, onlyChanged: values.changed ?? false, kind });
    else await deployVia(values.via, names, toFlags(values), kind);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
