// @ts-check
/**
 * Builds the same screens as the federated site as one application. The build uses the `main.tsx` of the shell and
 * imports the Apps of the remotes directly.
 */
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeArtifact } from '../../shell/build/artifact.mjs';
import { finishShell } from '../../shell/build/finish-build.mjs';
import { ASSETS_PATH, browserConfig } from '../../shell/build/preset.mjs';
import { CONTRACT_VERSION, REMOTE_NAMES, ROOT, SHELL } from '../../shell/build/packages.mjs';
import { localKeys, signBuild } from '../../shell/build/signing.mjs';

/**
 * Builds the application into a directory. The product can start from this directory instead of the checkout.
 * @param {string} rootDir  is replaced
 * @returns {Promise<{ rootDir: string, mfDir: string }>}
 */
export async function buildMonolith(rootDir) {
  await rm(rootDir, { recursive: true, force: true });
  const dist = path.join(rootDir, SHELL, 'dist');
  await mkdir(dist, { recursive: true });
  for (const folder of ['infra', 'launcher']) await symlink(path.join(ROOT, folder), path.join(rootDir, folder));
  const groups = await compile(dist);
  await writeArtifact(dist, await finishShell(dist, groups));
  return { rootDir, mfDir: await writeRegistry(path.join(rootDir, 'mf')) };
}

/** @param {string} dist */
async function compile(dist) {
  const { rspack } = await import('@rspack/core');
  const config = browserConfig({ name: SHELL, entry: { shell: './src/main.tsx' }, publicPath: ASSETS_PATH });
  const apps = path.join(import.meta.dirname, 'monolith-remotes.ts');
  const compiler = rspack({
    ...config,
    output: { ...config.output, path: path.join(dist, 'assets') },
    plugins: [new rspack.NormalModuleReplacementPlugin(/\/remotes\/(?:runtime|registry)\.ts$/u, apps)],
  });
  const stats = await new Promise((resolve, reject) =>
    compiler.run((error, result) => (error ? reject(error) : resolve(result))),
  );
  await new Promise((resolve) => compiler.close(resolve));
  if (stats.hasErrors())
    throw new Error(`The monolith does not build:\n${stats.toString({ preset: 'errors-only', colors: false })}`);
  return stats.toJson({ all: false, entrypoints: true, chunkGroups: true });
}

/**
 * Writes a registry of remotes (micro-frontends) whose files do not exist. The server reads the registry only to find
 * the API responses of each page.
 * @param {string} mfDir
 */
async function writeRegistry(mfDir) {
  await mkdir(mfDir, { recursive: true });
  const { privateKey } = localKeys(mfDir);
  const signed = (/** @type {object} */ entry) => signBuild(entry, privateKey);
  const entries = REMOTE_NAMES.map(async (name) => {
    const { preloadData = {} } = JSON.parse(await readFile(path.join(ROOT, name, 'package.json'), 'utf8'));
    return [
      name,
      signed({
        name,
        hash: '0'.repeat(16),
        contract: CONTRACT_VERSION,
        container: name,
        entry: '',
        preload: [],
        preloadTexts: {},
        preloadData,
        integrity: {},
        sizeBytes: 0,
        deployedAt: new Date().toISOString(),
      }),
    ];
  });
  await writeFile(
    path.join(mfDir, 'registry.json'),
    JSON.stringify({ remotes: Object.fromEntries(await Promise.all(entries)) }),
  );
  return mfDir;
}
