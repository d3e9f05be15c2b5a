import { appendFile, cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Registry, RegistryEntry, RemoteName } from '@alpenglow/ui';
import { describeFiles, readArtifact } from '../../shell/build/artifact.mjs';
import { buildBrowserPackages } from '../../shell/build/build.mjs';
import { distDir, REMOTE_NAMES } from '../../shell/build/packages.mjs';
import { deploy } from '../../shell/build/registry.mjs';

/** A folder of deployed remotes, the micro-frontends of the site. Tests may change and damage its files. */
export class DeployedRemotes {
  private constructor(readonly mfDir: string) {}

  /** Deploys every remote from the current build. */
  static async create(): Promise<DeployedRemotes> {
    await buildBrowserPackages(undefined, () => undefined);
    const remotes = new DeployedRemotes(await mkdtemp(path.join(os.tmpdir(), 'alpenglow-mf-')));
    for (const name of REMOTE_NAMES) await remotes.deploy(name);
    return remotes;
  }

  /**
   * Deploys a remote. If `mark` is set, deploys a changed build. The `App` of this build sets the attribute
   * `data-<name>` of the page to `mark`, so that a test can recognize the build.
   */
  async deploy(name: RemoteName, mark?: string): Promise<RegistryEntry> {
    const artifact = (await readArtifact(distDir(name))) as RegistryEntry;
    if (mark === undefined) return (await deploy({ mfDir: this.mfDir, dist: distDir(name), artifact })).entry;
    const dist = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-build-'));
    try {
      for (const file of Object.keys(artifact.integrity))
        await cp(path.join(distDir(name), file), path.join(dist, file));
      await appendFile(
        path.join(dist, appScriptOf(artifact)),
        `\n;document.documentElement.setAttribute('data-${name}', '${mark}');`,
      );
      return (
        await deploy({ mfDir: this.mfDir, dist, artifact: { ...artifact, ...(await describeFiles(dist, mark)) } })
      ).entry;
    } finally {
      await rm(dist, { recursive: true });
    }
  }

  folder({ name, hash }: RegistryEntry): string {
    return path.join(this.mfDir, name, hash);
  }

  /** Changes a deployed file, as an attacker with access to the disk or network could do. */
  async tamper(entry: RegistryEntry, file: string): Promise<void> {
    for (const compressedFile of await readdir(this.folder(entry)))
      if (compressedFile.startsWith(`${file}.`) && /\.(?:br|gz)$/u.test(compressedFile))
        await rm(path.join(this.folder(entry), compressedFile));
    const tail = file.endsWith('.css')
      ? '\nhtml { --tampered: yes }'
      : "\n;document.documentElement.setAttribute('data-tampered', 'yes');";
    await appendFile(path.join(this.folder(entry), file), tail);
  }

  /** Changes the registry entry of a remote. */
  async editEntry(name: RemoteName, edit: (entry: RegistryEntry) => RegistryEntry): Promise<void> {
    const file = path.join(this.mfDir, 'registry.json');
    const registry = JSON.parse(await readFile(file, 'utf8')) as Registry;
    const entry = registry.remotes[name];
    if (!entry) throw new Error(`${name} is not deployed`);
    await writeFile(file, JSON.stringify({ remotes: { ...registry.remotes, [name]: edit(entry) } }));
  }

  async remove(): Promise<void> {
    await rm(this.mfDir, { recursive: true, force: true });
  }
}

/** Returns the file name of the script that contains the `App` component of a remote. */
export function appScriptOf(entry: Pick<RegistryEntry, 'preload'>): string {
  const file = entry.preload.find((one) => one.startsWith('app.') && one.endsWith('.js'));
  if (file === undefined) throw new Error('The build has no script for its App');
  return file;
}
