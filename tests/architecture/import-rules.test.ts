import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkImports } from './check-imports.ts';
import { RULES } from './rules.ts';

const repository = path.resolve(import.meta.dirname, '../..');

it('the repository violates no rule', async () => {
  const { moduleCount, violations } = await checkImports(repository);
  expect(moduleCount).toBeGreaterThan(100);
  expect(violations).toEqual([]);
});

/** Files that violate each import rule. Each file is given with the module that it imports. */
const VIOLATIONS: Record<string, Record<string, string>> = {
  'domain-imports-only-allowed-workspaces': { 'domain/src/a.ts': '@alpenglow/infra' },
  'infra-imports-only-allowed-workspaces': { 'infra/src/a.ts': '@alpenglow/projectors' },
  'command-api-imports-only-allowed-workspaces': { 'command-api/src/a.ts': '@alpenglow/query-api' },
  'query-api-imports-only-allowed-workspaces': { 'query-api/src/a.ts': '@alpenglow/command-api' },
  'projectors-imports-only-allowed-workspaces': { 'projectors/src/a.ts': '@alpenglow/workers' },
  'workers-imports-only-allowed-workspaces': { 'workers/src/a.ts': '@alpenglow/query-api' },
  'ui-imports-only-allowed-workspaces': { 'ui/src/a.ts': '@alpenglow/domain' },
  'shell-imports-only-allowed-workspaces': { 'shell/src/a.ts': '@alpenglow/mf-listings' },
  'shell-server-imports-only-allowed-workspaces': { 'shell/server/a.ts': '@alpenglow/command-api' },
  'mf-imports-only-allowed-workspaces': { 'mf-listings/src/a.ts': '@alpenglow/mf-post-ad' },
  'launcher-imports-only-allowed-workspaces': { 'launcher/embedded/a.ts': '@alpenglow/mf-listings' },
  'no-circular-imports': { 'ui/src/a.ts': './b.ts', 'ui/src/b.ts': './a.ts' },
  'deciders-only-in-command-handling': { 'infra/src/a.ts': '@alpenglow/domain/deciders' },
  'domain-is-pure': { 'domain/src/a.ts': 'node:fs' },
  'drivers-only-in-adapters': { 'projectors/src/a.ts': 'pg' },
  'media-libraries-only-in-the-decoder': { 'workers/src/a.ts': 'sharp' },
  'browser-never-imports-server': { 'mf-listings/src/a.ts': '@alpenglow/shell/server' },
  'telephone-numbers-only-on-servers': {
    'domain/src/contracts/a.ts': '../fields.ts',
    'domain/src/fields.ts': './contact-details/b.ts',
    'domain/src/contact-details/b.ts': 'zod',
  },
  'browser-never-imports-node': { 'ui/src/a.ts': 'node:path' },
  'cross-package-imports-use-exports': { 'projectors/src/a.ts': '../../infra/src/index.ts' },
  'no-test-imports-in-shipped-code': { 'workers/src/a.ts': '../test/helper.ts', 'workers/test/helper.ts': 'node:path' },
  'shared-test-code-in-tests-support': { 'bench/a.ts': '@alpenglow/prove' },
  'declared-dependencies-only': { 'workers/src/a.ts': 'undeclared' },
  'every-import-resolves': { 'workers/src/a.ts': './missing.ts' },
};

/** Other rules that the files in `VIOLATIONS` also violate, by the tested rule. */
const ALSO_VIOLATED: Record<string, string[]> = {
  'domain-imports-only-allowed-workspaces': ['domain-is-pure'],
  'browser-never-imports-server': ['mf-imports-only-allowed-workspaces'],
  'no-test-imports-in-shipped-code': ['workers-imports-only-allowed-workspaces'],
};

const { workspaces: WORKSPACES } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8')) as {
  readonly workspaces: readonly string[];
};
const REMOTES = WORKSPACES.filter((name) => name.startsWith('mf-'));

describe('the import rules', () => {
  let root = '';

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'alpenglow-rules-'));
    await put(
      'package.json',
      JSON.stringify({
        name: 'fixture',
        workspaces: WORKSPACES,
      }),
    );
    for (const library of ['ffprobe-static', 'pg', 'sharp', 'zod', 'undeclared']) {
      await put(`node_modules/${library}/package.json`, JSON.stringify({ name: library, main: 'index.js' }));
      await put(`node_modules/${library}/index.js`, '');
    }
    await mkdir(path.join(root, 'node_modules/@alpenglow'));
    for (const name of WORKSPACES) {
      const exports = {
        '.': './src/index.ts',
        './contracts': './src/contracts/index.ts',
        './deciders': './src/deciders.ts',
        './server': './server/index.ts',
      };
      const dependencies = { 'ffprobe-static': '*', pg: '*', sharp: '*', zod: '*' };
      await put(`${name}/package.json`, JSON.stringify({ name: `@alpenglow/${name}`, exports, dependencies }));
      await put(`${name}/src/index.ts`, 'export const here = 1;\n');
      await symlink(`../../${name}`, path.join(root, 'node_modules/@alpenglow', name));
    }
    await put('domain/src/contracts/index.ts', 'export const contract = 1;\n');
    await put('domain/src/deciders.ts', 'export const decide = 1;\n');
    await put('shell/server/index.ts', 'export const server = 1;\n');
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  async function put(file: string, content: string): Promise<void> {
    const full = path.join(root, file);
    await mkdir(path.dirname(full), { recursive: true });
    await writeFile(full, content);
  }

  it('have a violating example for every rule', () => {
    expect(Object.keys(VIOLATIONS).sort()).toEqual(RULES.map(({ name }) => name).sort());
  });

  it('accept a tree without violations', async () => {
    await put('mf-listings/src/app.ts', "import { here } from '@alpenglow/ui';\nexport const a = here;\n");
    await put(
      'ui/src/client.ts',
      "import { contract } from '@alpenglow/domain/contracts';\nexport const a = contract;\n",
    );
    await put('infra/src/adapters/pool.ts', "import pg from 'pg';\nexport const a = pg;\n");
    await put('infra/decoder/photo.ts', "import sharp from 'sharp';\nexport const a = sharp;\n");
    await put(
      'launcher/embedded/compose.ts',
      "import { here } from '@alpenglow/projectors';\nexport const a = here;\n",
    );
    expect((await checkImports(root)).violations).toEqual([]);
  });

  it('report circular type imports as well', async () => {
    await put('ui/src/a.ts', "import type { B } from './b.ts';\nexport type A = B | null;\n");
    await put('ui/src/b.ts', "import type { A } from './a.ts';\nexport type B = A | string;\n");
    const { violations } = await checkImports(root);
    expect([...new Set(violations.map((violation) => violation.split(':')[0]))]).toEqual(['no-circular-imports']);
  });

  it('report a package that only the root declares', async () => {
    await put(
      'package.json',
      JSON.stringify({ name: 'fixture', workspaces: WORKSPACES, dependencies: { undeclared: '*' } }),
    );
    await put('workers/src/a.ts', "import * as other from 'undeclared';\nexport const a = other;\n");
    expect((await checkImports(root)).violations).toEqual([
      'declared-dependencies-only: workers/src/a.ts → undeclared',
    ]);
  });

  it.each(Object.entries(VIOLATIONS))('report a violation of %s', async (rule, files) => {
    for (const [file, imported] of Object.entries(files))
      await put(file, `import * as other from '${imported}';\nexport const a = other;\n`);
    const { violations } = await checkImports(root);
    const broken = new Set(violations.map((violation) => violation.split(':')[0]));
    expect([...broken].sort()).toEqual([rule, ...(ALSO_VIOLATED[rule] ?? [])].sort());
  });

  it.each(REMOTES)('do not allow %s to import another remote', async (remote) => {
    const other = REMOTES.find((name) => name !== remote) ?? '';
    await put(`${remote}/src/a.ts`, `import * as other from '@alpenglow/${other}';\nexport const a = other;\n`);
    const { violations } = await checkImports(root);
    expect(violations).toEqual([expect.stringMatching(`^mf-imports-only-allowed-workspaces: ${remote}/src/a.ts`)]);
  });
});
