import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = async (folder: string, file: string) =>
  JSON.parse(await readFile(path.join(folder, file), 'utf8')) as unknown;

interface Sbom {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly name: string; readonly version: string; readonly type: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly hashes?: readonly { readonly alg: string }[];
  }[];
}
interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
}

let clone: string;
beforeAll(async () => {
  clone = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-sbom-'));
  const { workspaces } = (await read(root, 'package.json')) as { readonly workspaces: readonly string[] };
  for (const file of ['package.json', 'package-lock.json', ...workspaces.map((folder) => `${folder}/package.json`)])
    await cp(path.join(root, file), path.join(clone, file));
  await cp(path.join(root, 'launcher/tools/sbom.mjs'), path.join(clone, 'launcher/tools/sbom.mjs'));
});
afterAll(() => rm(clone, { recursive: true }));

test('npm run sbom lists every package of the lock file with its hash, without installed packages', async () => {
  execFileSync('npm', ['run', 'sbom'], { cwd: clone, stdio: 'ignore' });
  const sbom = (await read(clone, 'sbom.cdx.json')) as Sbom;
  expect(sbom).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'alpenglow', version: '0.1.0' } },
  });
  const { packages } = (await read(clone, 'package-lock.json')) as Lock;
  const locked = Object.entries(packages).flatMap(([folder, { version = '', integrity }]) =>
    integrity === undefined ? [] : [`${folder.slice(folder.lastIndexOf('node_modules/') + 13)}@${version}`],
  );
  expect(locked.length).toBeGreaterThan(100);
  const listed = new Map(sbom.components.map((component) => [`${component.name}@${component.version}`, component]));
  expect(locked.filter((id) => !listed.get(id)?.hashes?.some(({ alg }) => alg === 'SHA-512'))).toEqual([]);
});
