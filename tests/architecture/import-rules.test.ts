import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cruiseTree } from './cruise.ts';
import { RULES } from './rules.ts';

const repository = path.resolve(import.meta.dirname, '../..');

it('the tree keeps every rule', async () => {
  const { moduleCount, violations } = await cruiseTree(repository);
  expect(moduleCount).toBeGreaterThan(100);
  expect(violations).toEqual([]);
});

/** For each rule a small tree that breaks it and nothing but it: file → the module it imports. */
const BREACHES: Record<string, Record<string, string>> = {
  'domain-imports-only-what-it-may': { 'domain/src/a.ts': '@alpenglow/infra' },
  'infra-imports-only-what-it-may': { 'infra/src/a.ts': '@alpenglow/projectors' },
  'command-api-imports-only-what-it-may': { 'command-api/src/a.ts': '@alpenglow/query-api' },
  'query-api-imports-only-what-it-may': { 'query-api/src/a.ts': '@alpenglow/command-api' },
  'projectors-imports-only-what-it-may': { 'projectors/src/a.ts': '@alpenglow/workers' },
  'workers-imports-only-what-it-may': { 'workers/src/a.ts': '@alpenglow/query-api' },
  'ui-imports-only-what-it-may': { 'ui/src/a.ts': '@alpenglow/domain' },
  'shell-imports-only-what-it-may': { 'shell/src/a.ts': '@alpenglow/mf-listings' },
  'shell-server-imports-only-what-it-may': { 'shell/server/a.ts': '@alpenglow/command-api' },
  'mf-imports-only-what-it-may': { 'mf-listings/src/a.ts': '@alpenglow/mf-post-ad' },
  'launcher-imports-only-what-it-may': { 'infra/embedded/a.ts': '@alpenglow/mf-listings' },
  'no-circle': { 'ui/src/a.ts': './b.ts', 'ui/src/b.ts': './a.ts' },
  'domain-is-pure': { 'domain/src/a.ts': 'node:fs' },
  'drivers-only-in-adapters': { 'projectors/src/a.ts': 'pg' },
  'sharp-only-in-adapters-and-workers': { 'query-api/src/a.ts': 'sharp' },
  'ffprobe-only-in-workers': { 'infra/src/adapters/a.ts': 'ffprobe-static' },
  'browser-never-imports-server': { 'mf-listings/src/a.ts': '@alpenglow/shell/server' },
  'browser-never-imports-node': { 'ui/src/a.ts': 'node:path' },
  'packages-meet-at-their-exports': { 'projectors/src/a.ts': '../../infra/src/index.ts' },
  'nothing-ships-tests': { 'workers/src/a.ts': '../test/helper.ts', 'workers/test/helper.ts': 'node:path' },
  'declared-dependencies-only': { 'workers/src/a.ts': 'undeclared' },
  'every-import-resolves': { 'workers/src/a.ts': './missing.ts' },
};

/** What any rule about one of these would say too: the narrower rule is the one under test. */
const ALSO_BROKEN: Record<string, string[]> = {
  'domain-imports-only-what-it-may': ['domain-is-pure'],
  'browser-never-imports-server': ['mf-imports-only-what-it-may'],
  'nothing-ships-tests': ['workers-imports-only-what-it-may'],
};

const WORKSPACES = [
  'domain',
  'infra',
  'command-api',
  'query-api',
  'projectors',
  'workers',
  'ui',
  'shell',
  'mf-listings',
  'mf-post-ad',
];

describe('each rule can fail', () => {
  let root = '';

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'alpenglow-rules-'));
    await put(
      'package.json',
      JSON.stringify({
        name: 'fixture',
        workspaces: WORKSPACES,
        dependencies: { 'ffprobe-static': '*', pg: '*', sharp: '*', zod: '*' },
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
        './server': './server/index.ts',
      };
      await put(`${name}/package.json`, JSON.stringify({ name: `@alpenglow/${name}`, exports }));
      await put(`${name}/src/index.ts`, 'export const here = 1;\n');
      await symlink(`../../${name}`, path.join(root, 'node_modules/@alpenglow', name));
    }
    await put('domain/src/contracts/index.ts', 'export const contract = 1;\n');
    await put('shell/server/index.ts', 'export const server = 1;\n');
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  async function put(file: string, content: string): Promise<void> {
    const full = path.join(root, file);
    await mkdir(path.dirname(full), { recursive: true });
    await writeFile(full, content);
  }

  it('there is a breach for every rule', () => {
    expect(Object.keys(BREACHES).sort()).toEqual(RULES.map(({ name }) => name).sort());
  });

  it('a tree that keeps them passes', async () => {
    await put('mf-listings/src/app.ts', "import { here } from '@alpenglow/ui';\nexport const a = here;\n");
    await put(
      'ui/src/client.ts',
      "import { contract } from '@alpenglow/domain/contracts';\nexport const a = contract;\n",
    );
    await put('infra/src/adapters/pool.ts', "import pg from 'pg';\nexport const a = pg;\n");
    await put('workers/src/photo.ts', "import sharp from 'sharp';\nexport const a = sharp;\n");
    await put('infra/embedded/compose.ts', "import { here } from '@alpenglow/projectors';\nexport const a = here;\n");
    expect((await cruiseTree(root)).violations).toEqual([]);
  });

  it.each(Object.entries(BREACHES))('%s', async (rule, files) => {
    for (const [file, imported] of Object.entries(files))
      await put(file, `import * as other from '${imported}';\nexport const a = other;\n`);
    const { violations } = await cruiseTree(root);
    const broken = new Set(violations.map((violation) => violation.split(':')[0]));
    expect([...broken].sort()).toEqual([rule, ...(ALSO_BROKEN[rule] ?? [])].sort());
  });
});
