// @ts-check
/**
 * Builds outdated remotes and makes them live with `node shell/build/deploy.mjs [--changed] [name…]`. Without a name,
 * it deploys all remotes. With `--changed`, it skips builds that equal the latest deployment. The shell needs no build
 * and no restart. Open tabs continue to use the previous deployment, and new tabs load the new deployment.
 */
import { pathToFileURL } from 'node:url';
import { findBuild } from './artifact.mjs';
import { buildBrowserPackages } from './build.mjs';
import { CONTRACT_VERSION, MF_DIR, REMOTE_NAMES, distDir, isRemoteName } from './packages.mjs';
import { deploy, describeDeployment, needsDeploy } from './registry.mjs';

/**
 * @param {{ names?: typeof REMOTE_NAMES, onlyChanged?: boolean, mfDir?: string, report?: (line: string) => void }}
 * options
 */
export async function deployRemotes(options = {}) {
  const { names = REMOTE_NAMES, onlyChanged = false, mfDir = MF_DIR, report = console.log } = options;
  for (const name of names) {
    const build = await findBuild(distDir(name));
    if (!build) throw new Error(`${name} has not been built`);
    if (onlyChanged && !(await needsDeploy({ mfDir, name, hash: build.artifact.hash }))) continue;
    report(describeDeployment(await deploy({ mfDir, ...build, shellContract: CONTRACT_VERSION })));
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const onlyChanged = process.argv.includes('--changed');
  const given = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const names = given.filter(isRemoteName);
  const unknown = given.filter((name) => !isRemoteName(name));
  if (unknown.length > 0) {
    console.error(`Unknown remote: ${unknown.join(', ')}. Known: ${REMOTE_NAMES.join(', ')}`);
    process.exit(2);
  }
  try {
    const chosen = names.length > 0 ? names : REMOTE_NAMES;
    await buildBrowserPackages(chosen);
    await deployRemotes({ names: chosen, onlyChanged });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
