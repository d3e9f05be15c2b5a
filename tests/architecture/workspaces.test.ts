import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';

const repository = path.resolve(import.meta.dirname, '../..');

interface Manifest {
  name: string;
  type?: string;
  exports?: Record<string, string>;
  workspaces?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(path.join(repository, folder, 'package.json'), 'utf8')) as Manifest;

const WORKSPACES = [
  'domain',
  'infra',
  'launcher',
  'command-api',
  'query-api',
  'projectors',
  'workers',
  'ui',
  'shell',
  'mf-listings',
  'mf-post-ad',
  'mf-community',
  'mf-admin',
  'tests',
  'bench',
  'prove',
];
/** Workspaces that no other workspace may import. */
const WITHOUT_EXPORTS = ['tests', 'bench', 'prove'];

it('the workspaces are those of the architecture document', async () => {
  expect((await manifestOf('.')).workspaces?.toSorted()).toEqual(WORKSPACES.toSorted());
  const entries = await readdir(repository, { withFileTypes: true });
  const folders = entries.filter(
    (entry) =>
      entry.isDirectory() &&
      !entry.name.startsWith('.') &&
      !['node_modules', 'coverage', 'docs', 'screenshots'].includes(entry.name),
  );
  expect(folders.map((entry) => entry.name).toSorted()).toEqual(WORKSPACES.toSorted());
});

it.each(WORKSPACES)('%s has the name of its folder and declares its exports', async (folder) => {
  const manifest = await manifestOf(folder);
  expect(manifest.name).toBe(`@alpenglow/${folder}`);
  expect(manifest.type).toBe('module');
  if (WITHOUT_EXPORTS.includes(folder)) return;
  const targets = Object.values(manifest.exports ?? {});
  expect(targets).not.toEqual([]);
  for (const target of targets)
    await expect(readFile(path.join(repository, folder, target), 'utf8')).resolves.toBeTypeOf('string');
});

it.each(['.', ...WORKSPACES])('%s depends on exact versions', async (folder) => {
  const { dependencies = {}, devDependencies = {} } = await manifestOf(folder);
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([name, version]) => !name.startsWith('@alpenglow/') && !/^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
  );
  expect(loose).toEqual([]);
});

const SOURCE = /\.(?:ts|tsx|mjs)$/u;
const IMPORT = /(?:from|import|import\() ?'(@alpenglow\/[a-z-]+)[/']/gu;

/** Returns the names of the workspaces that the sources below a folder import. */
async function importedWorkspaces(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(path.join(repository, folder), { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .filter((file) => !/\/(?:node_modules|dist)\//u.test(file));
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return new Set(texts.flatMap((text) => [...text.matchAll(IMPORT)].flatMap(([, name]) => name ?? [])));
}

it.each(WORKSPACES)('%s declares the workspaces that it imports', async (folder) => {
  const { name, dependencies = {}, devDependencies = {} } = await manifestOf(folder);
  const declared = new Set([name, ...Object.keys({ ...dependencies, ...devDependencies })]);
  const imported = await importedWorkspaces(folder);
  expect([...imported].filter((one) => !declared.has(one))).toEqual([]);
});
