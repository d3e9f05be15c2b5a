import { createHash } from 'node:crypto';
import { cp, readFile, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describeFiles } from '../../shell/build/artifact.mjs';
import { distDir, SHELL } from '../../shell/build/packages.mjs';

export interface ShellVariant {
  /** The value of `data-shell` of a page with this shell. */
  readonly mark: string;
  /** The versions of the contract that its build states. By default, those of the current build. */
  readonly contracts?: readonly string[];
}

const TEXT_FILE = /\.(?:js|cjs|css|json|map)$/u;
const digestOf = (bytes: Buffer) => `sha256-${createHash('sha256').update(bytes).digest('base64')}`;

/**
 * Writes a build of the shell that differs from the current one like one of other sources: all its files have other
 * names. The shell must be built.
 * @param dir an empty or missing folder
 */
export async function createShellVariant(dir: string, { mark, contracts }: ShellVariant): Promise<void> {
  await cp(await realpath(distDir(SHELL)), dir, { recursive: true });
  const assets = path.join(dir, 'assets');
  const hashes = new Map<string, string>();
  for (const file of await readdir(assets)) {
    const [, hash] = /\.([0-9a-f]{10})\./u.exec(file) ?? [];
    if (hash !== undefined) hashes.set(hash, createHash('sha256').update(`${mark} ${hash}`).digest('hex').slice(0, 10));
  }
  const renamed = (text: string) => text.replaceAll(/\b[0-9a-f]{10}\b/gu, (found) => hashes.get(found) ?? found);
  for (const folder of [dir, assets, path.join(dir, 'server')]) {
    for (const file of await readdir(folder)) {
      const location = path.join(folder, file);
      // The compressed files have the content of the current build.
      if (/\.(?:br|gz)$/u.test(file)) await rm(location);
      else if (TEXT_FILE.test(file)) await writeFile(location, renamed(await readFile(location, 'utf8')));
    }
  }
  for (const file of await readdir(assets)) await rename(path.join(assets, file), path.join(assets, renamed(file)));
  const buildFile = path.join(dir, 'build.json');
  const build = JSON.parse(await readFile(buildFile, 'utf8')) as {
    readonly scripts: readonly string[];
    readonly server: { readonly integrity: string };
  };
  const entry = path.join(assets, build.scripts[0] ?? '');
  await writeFile(entry, `document.documentElement.dataset.shell='${mark}';${await readFile(entry, 'utf8')}`);
  const server = { integrity: digestOf(await readFile(path.join(dir, 'server/server.cjs'))) };
  const { hash, sizeBytes } = await describeFiles(assets, server.integrity);
  await writeFile(buildFile, JSON.stringify({ ...build, hash, sizeBytes, server, ...(contracts && { contracts }) }));
}
