/** Installs the versions of Node with which the smoke test runs the product. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const INSTALL_LIMIT_ms = 10 * 60_000;

/**
 * The tested versions of Node: the oldest supported one, and the versions with long-term support. The image uses one of
 * them (infra/deploy/Dockerfile). `engines` in package.json names the supported range.
 */
export const NODE_VERSIONS = ['20.19.0', '24.21.0', '26.10.0'] as const;

/** Returns environment variables with which `node` and `npm` are run by the Node in a folder. */
export const withNode = (folder: string) => ({ PATH: `${folder}${path.delimiter}${process.env['PATH'] ?? ''}` });

/**
 * Installs a version of Node below `.build`, unless it is there already. The binary comes from the package that the npm
 * package `node` would install on this platform, because the install scripts of packages are not run.
 * @returns the folder of `node`
 * @throws {Error} if the npm registry cannot be reached or has no binary for this platform
 */
export async function installNode(version: string): Promise<string> {
  const target = path.join(root, '.build/node', version);
  const { platform, arch } = process;
  const name = `${platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'}-${platform}-${arch}`;
  const folder = path.join(target, 'node_modules', name, 'bin');
  const installed = () => run(path.join(folder, 'node'), ['--version']).then(({ stdout }) => stdout.trim());
  if ((await installed().catch(() => null)) === `v${version}`) return folder;
  const args = ['install', '--prefix', target, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', [...args, `${name}@${version}`], { timeout: INSTALL_LIMIT_ms });
  if ((await installed()) !== `v${version}`) throw new Error(`${name}@${version} contains another version of Node`);
  return folder;
}
