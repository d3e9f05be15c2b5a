/** `npm run compat`: checks the builds of this machine with each other (docs/front-end-teams.md). */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { flows as admin } from '../../mf-admin/test/smoke.ts';
import { flows as community } from '../../mf-community/test/smoke.ts';
import { flows as listings } from '../../mf-listings/test/smoke.ts';
import { flows as postAd } from '../../mf-post-ad/test/smoke.ts';
import { findBuild } from '../../shell/build/artifact.mjs';
import { launchBrowser } from '../support/browser.ts';
import { setup as startPostgres } from '../support/global-setup.ts';
import { populate } from '../support/people.ts';
import { startTestProduct } from '../support/product.ts';
import type { SmokeFlow } from '../support/smoke-flow.ts';
import { checkPairs, type Pair, type PairResult, type RemoteBuild } from './pairs.ts';

/** The smoke flows by remote. A remote of another repository has its own. */
const FLOWS: Readonly<Record<string, readonly SmokeFlow[]>> = {
  'mf-listings': listings,
  'mf-post-ad': postAd,
  'mf-community': community,
  'mf-admin': admin,
};

/** The number of builds of the shell, and of each remote, that are checked. */
const BUILDS_MAX = 10;

interface CompatOptions {
  readonly root: string;
  /** The remotes to check. All if the list is empty. */
  readonly names: readonly string[];
}

/**
 * Returns the last builds of a front end on this machine, latest first: those of this checkout, and those that its site
 * has stored. The current build is not among them.
 * @param root the checkout
 */
async function findLastBuilds(root: string, name: string, current: RemoteBuild): Promise<readonly RemoteBuild[]> {
  const folders = [path.join(root, '.build/front-ends', name), path.join(root, '.build/mf', name)];
  const found: (RemoteBuild & { readonly at_ms: number })[] = [];
  for (const folder of folders) {
    for (const entry of await readdir(folder).catch(() => [])) {
      const dist = path.join(folder, entry);
      const build = /^[0-9a-f]{16}$/u.test(entry) ? await findBuild(dist).catch(() => null) : null;
      if (build) found.push({ ...build, at_ms: (await stat(dist)).mtimeMs });
    }
  }
  found.sort((one, other) => one.at_ms - other.at_ms);
  const latest = new Map(found.map((build) => [build.artifact.hash, build]));
  latest.delete(current.artifact.hash);
  return [...latest.values()].toReversed();
}

/**
 * Returns the pairs of a remote: its current build with the last shells, and the current shell with its last builds.
 * @param root the checkout
 * @throws {Error} if the shell or the remote is not built
 */
export async function findPairs(root: string, name: string): Promise<readonly Pair[]> {
  const shell = await findBuild(path.join(root, 'shell/dist'));
  const remote = await findBuild(path.join(root, name, 'dist'));
  if (!shell || !remote) throw new Error(`The shell and ${name} are not built`);
  const shells = [shell, ...(await findLastBuilds(root, 'shell', shell))].slice(0, BUILDS_MAX);
  const builds = (await findLastBuilds(root, name, remote)).slice(0, BUILDS_MAX - 1);
  return [
    ...shells.map(({ dist: shellDir }) => ({ shellDir, remote })),
    ...builds.map((earlier) => ({ shellDir: shell.dist, remote: earlier })),
  ];
}

/** Returns the output line of a checked pair. */
function describeResult({ shell, name, remote, outcome, reasons, duration_ms }: PairResult): string {
  const builds = `${name.padEnd(13)} ${remote}  shell ${shell}`;
  if (outcome === 'works') return `${builds}  works (${duration_ms} ms)`;
  return [`${builds}  ${outcome === 'unused' ? 'is not used' : 'FAILS'}`, ...reasons.map((one) => `    ${one}`)].join(
    '\n',
  );
}

/**
 * Starts a product, and runs the smoke flows of remotes with the last shells and with their last builds.
 * @throws {Error} at the end if a pair does not work
 */
export async function checkCompatibility({ root, names }: CompatOptions): Promise<void> {
  const chosen = names.length > 0 ? names : Object.keys(FLOWS);
  const stopPostgres = await startPostgres();
  try {
    const product = await startTestProduct();
    const browser = await launchBrowser();
    try {
      const world = await populate(product.url);
      let failed = 0;
      for (const name of chosen) {
        const flows = FLOWS[name];
        if (!flows) throw new Error(`${name} has no smoke flows. Known: ${Object.keys(FLOWS).join(', ')}`);
        const context = { browser, apiUrl: product.url, world, flows };
        const results = await checkPairs(await findPairs(root, name), context, (result) =>
          process.stdout.write(`${describeResult(result)}\n`),
        );
        failed += results.filter(({ outcome }) => outcome === 'fails').length;
      }
      if (failed > 0) throw new Error(`${failed} pairs of builds do not work`);
    } finally {
      await browser.close();
      await product.stop();
    }
  } finally {
    await stopPostgres?.();
  }
}
