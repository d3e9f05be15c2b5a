import { appendFile, cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { RegistryEntry, RemoteName } from '@alpenglow/ui';
import { describeFiles } from '../../shell/build/artifact.mjs';
import { buildBrowserPackages, requireBuild } from '../../shell/build/build.mjs';
import { digestOf } from '../../shell/build/digests.mjs';
import { OFFERED_CONTRACTS, REMOTE_NAMES } from '../../shell/build/packages.mjs';
import { deploy, readRegistry, type Artifact, type Deployment } from '../../shell/build/registry.mjs';
import type { ShellOffer } from '../../shell/build/shell-compatibility.mjs';
import { createPreviewToken, localKeys, signBuild } from '../../shell/build/signing.mjs';

/** How a build that a test deploys differs from the current build. */
interface ChangedBuild {
  readonly code?: string;
  readonly chunk?: string;
  readonly isPreview?: boolean;
  readonly canaryPercent?: number;
}

/** A folder of deployed remotes, the micro-frontends of the site. Tests may change and damage its files. */
export class DeployedRemotes {
  readonly #target: { readonly mfDir: string; readonly shell: ShellOffer };

  private constructor(readonly mfDir: string) {
    this.#target = { mfDir, shell: { hash: '', contracts: OFFERED_CONTRACTS } };
  }

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
  async deploy(name: RemoteName, mark?: string): Promise<Deployment> {
    return mark === undefined ? this.#deploy(name) : this.deployWithCode(name, markCode(name, mark));
  }

  /** Stores a build of a remote that only a shell with a later version of the contract can run. */
  async deployAhead(name: RemoteName): Promise<Deployment> {
    const build = await requireBuild(name);
    const artifact = { ...build.artifact, hash: '0123456789abcdef', contract: '>=99' };
    return (await deploy({ ...this.#target, dist: build.dist, artifact, isAhead: true })).entry;
  }

  /**
   * Deploys a build of a remote that also executes this code when one of its chunks is loaded. By default, it is the
   * chunk of the `App`.
   */
  async deployWithCode(name: RemoteName, code: string, chunk = 'app'): Promise<Deployment> {
    return this.#deploy(name, { code, chunk });
  }

  /** Stores a preview of a remote whose `App` sets `data-<name>` to `mark`. Returns it with the path of its link. */
  async deployPreview(name: RemoteName, mark: string) {
    const entry = await this.#deploy(name, { code: markCode(name, mark), isPreview: true });
    return { entry, link: `/preview/${createPreviewToken(entry, localKeys(this.mfDir).privateKey)}` };
  }

  /** Gives half of all browsers a build of a remote that also executes this code in the browser. */
  async deployCanary(name: RemoteName, options: { code: string; chunk?: string }) {
    return this.#deploy(name, { ...options, canaryPercent: 50 });
  }

  async #deploy(
    name: RemoteName,
    { code, chunk = 'app', isPreview = false, canaryPercent }: ChangedBuild = {},
  ): Promise<Deployment> {
    const build = await requireBuild(name);
    const { artifact } = build;
    if (code === undefined) return (await deploy({ ...this.#target, ...build })).entry;
    const dist = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-build-'));
    try {
      for (const file of Object.keys(artifact.integrity)) await cp(path.join(build.dist, file), path.join(dist, file));
      await addToChunk(dist, artifact, chunk, code);
      // Only the browser renders the changed build, because the server bundle does not contain the code.
      const { server: _server, ...described } = artifact;
      const changed = { ...described, ...(await describeFiles(dist, code)) };
      const canary = canaryPercent === undefined ? {} : { canaryPercent };
      return (await deploy({ ...this.#target, dist, artifact: changed, isPreview, ...canary })).entry;
    } finally {
      await rm(dist, { recursive: true });
    }
  }

  folder({ name, hash }: Deployment): string {
    return path.join(this.mfDir, name, hash);
  }

  /** Changes a deployed file, as an attacker with access to the disk or network could do. */
  async tamper(entry: Deployment, file: string): Promise<void> {
    for (const compressedFile of await readdir(this.folder(entry)))
      if (compressedFile.startsWith(`${file}.`) && /\.(?:br|gz)$/u.test(compressedFile))
        await rm(path.join(this.folder(entry), compressedFile));
    const tail = file.endsWith('.css') ? '\nhtml { --tampered: yes }' : `\n;${markCode('tampered', 'yes')}`;
    await appendFile(path.join(this.folder(entry), file), tail);
  }

  /** Changes the registry entry of a remote's latest live build, and signs it again. */
  async editEntry(name: RemoteName, edit: (entry: Deployment) => Deployment): Promise<void> {
    const file = path.join(this.mfDir, 'registry.json');
    const { remotes } = await readRegistry(this.mfDir);
    const [entry, ...others] = remotes[name] ?? [];
    if (!entry) throw new Error(`${name} is not deployed`);
    const edited = signBuild(edit(entry), localKeys(this.mfDir).privateKey);
    await writeFile(file, JSON.stringify({ remotes: { ...remotes, [name]: [edited, ...others] } }));
  }

  async remove(): Promise<void> {
    for (const file of [this.mfDir, `${this.mfDir}.key`]) await rm(file, { recursive: true, force: true });
  }
}

/** Returns code that sets the attribute `data-<name>` of the page. */
const markCode = (name: string, mark: string) => `document.documentElement.setAttribute('data-${name}', '${mark}');`;

/** Adds code to the start of the script of a chunk, and its new integrity value to the entry, as a build would do. */
async function addToChunk(dist: string, artifact: Artifact, chunk: string, code: string): Promise<void> {
  const script = Object.keys(artifact.integrity).find((file) => file.startsWith(`${chunk}.`) && file.endsWith('.js'));
  if (script === undefined) throw new Error(`The build has no chunk ${chunk}`);
  const [app, entry] = [path.join(dist, script), path.join(dist, artifact.entry)];
  const before = digestOf(await readFile(app));
  await writeFile(app, `${code}\n${await readFile(app, 'utf8')}`);
  const text = await readFile(entry, 'utf8');
  if (!text.includes(before)) throw new Error('The entry does not contain the integrity value of the chunk');
  await writeFile(entry, text.replace(before, digestOf(await readFile(app))));
}

/** Returns the file name of the script that contains the `App` component of a remote. */
export function appScriptOf(entry: Pick<RegistryEntry, 'preload'>): string {
  const file = entry.preload.find((one) => one.startsWith('app.') && one.endsWith('.js'));
  if (file === undefined) throw new Error('The build has no script for its App');
  return file;
}
