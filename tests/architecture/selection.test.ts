import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { explain, readChanges } from '../selection/changed.mjs';
import { readGraph } from '../selection/import-graph.mjs';
import { PAGES_OF_BROWSER_TESTS, readPageOwners, REMOTES } from '../selection/pages.mjs';
import { kindOf, selectTests } from '../selection/select.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const BROWSER = path.join(root, 'tests/browser');

describe('the list of pages that browser tests open', () => {
  const files = readdirSync(BROWSER).filter((name) => name.endsWith('.test.ts'));

  it('has every browser test and no other', () => {
    expect(Object.keys(PAGES_OF_BROWSER_TESTS).toSorted()).toEqual(
      files.map((name) => name.replace('.test.ts', '')).toSorted(),
    );
  });

  it.each(files)('has the front ends that %s names', (name) => {
    const text = readFileSync(path.join(BROWSER, name), 'utf8');
    const owners = readPageOwners(root)(text).filter((owner) => owner !== 'shell');
    const named = REMOTES.filter((remote) => text.includes(`'${remote}'`) || text.includes(`/${remote}/`));
    expect(PAGES_OF_BROWSER_TESTS[name.replace('.test.ts', '')]).toEqual(expect.arrayContaining([...owners, ...named]));
  });

  it('reads the owners from the areas of the site', () => {
    const ownersOf = readPageOwners(root);
    expect(ownersOf("goto('/blog/reno')")).toEqual(['mf-community']);
    expect(ownersOf('fetch(`${url}/fr/admin`)')).toEqual(['mf-admin']);
    expect(ownersOf("call('GET', '/api/ads')")).toEqual([]);
  });
});

describe('npm test -- --changed', () => {
  let graph: ReturnType<typeof readGraph>;
  beforeAll(() => {
    graph = readGraph(root, readChanges(root, 'HEAD').files);
  });
  const select = (...changed: string[]) => selectTests(graph, changed, root);
  const kindsOf = (...changed: string[]) => [...new Set([...select(...changed).tests.keys()].map(kindOf))];

  it('selects the tests of one front end, the tests that open its pages, and no other', () => {
    const selected = [...select('mf-community/src/text.ts').tests.keys()];
    expect(selected).toEqual(
      expect.arrayContaining([
        'mf-community/test/lists.test.ts',
        'tests/browser/community.test.ts',
        'tests/integration/first-html.test.ts',
        'tests/architecture/translations.test.ts',
      ]),
    );
    for (const other of [
      'mf-listings/test/',
      'tests/browser/panel',
      'tests/integration/ads.',
      'tests/kill/',
      'tests/fuzz/',
      'tests/launcher/',
    ])
      expect(selected.filter((test) => test.startsWith(other))).toEqual([]);
  });

  it('selects tests that import a changed file through other files', () => {
    const selected = select('query-api/src/index.ts').tests;
    expect(selected.get('tests/integration/ads.test.ts')).toBe('uses query-api/src/index.ts');
    expect(selected.has('mf-listings/test/favorites.test.ts')).toBe(false);
  });

  it('selects tests that start a changed script, or read a changed folder', () => {
    expect(select('infra/decoder/main.mjs').tests.has('tests/security/decoder-process.test.ts')).toBe(true);
    expect(select('infra/migrations/0001_event-store.sql').tests.has('tests/integration/migrate.test.ts')).toBe(true);
  });

  const entries = [
    ...readFileSync(path.join(root, 'launcher/build/build-servers.mjs'), 'utf8').matchAll(/: '\.\/(.+\.ts)',$/gmu),
  ].map(([, file = '']) => file);

  it('knows the programs that the build bundles', () => {
    expect(entries).toEqual(expect.arrayContaining(['infra/gateway/main.ts', 'query-api/src/main.ts']));
  });

  it.each(entries)('selects tests that start a program built from %s', (file) => {
    expect([...select(file).tests.keys()]).toEqual(
      expect.arrayContaining([
        'tests/launcher/deployed-tools.test.ts',
        'tests/launcher/gateway.test.ts',
        'tests/launcher/services.test.ts',
        'tests/launcher/services.long.test.ts',
      ]),
    );
  });

  it('selects a changed test itself, and only that', () => {
    const selected = select('tests/security/passwords.test.ts').tests;
    expect([...selected.keys()].filter((test) => kindOf(test) !== 'architecture')).toEqual([
      'tests/security/passwords.test.ts',
    ]);
  });

  it('selects only the checks of documents for a document', () => {
    expect(kindsOf('docs/testing.md')).toEqual(['architecture']);
  });

  it('selects all tests that use the package of a deleted file', () => {
    const selected = select('query-api/src/deleted.ts').tests;
    expect(selected.has('tests/integration/ads.test.ts')).toBe(true);
    expect(selected.has('mf-listings/test/favorites.test.ts')).toBe(false);
  });

  it.each([
    'package.json',
    'package-lock.json',
    'tests/vitest.config.ts',
    'tests/progress-reporter.ts',
    'tests/support/product.ts',
    'tests/support/global-setup.ts',
    'tests/support/browser-setup.ts',
    // Files that the set-up of the tests imports.
    'launcher/postgres/server.ts',
    'tests/support/volume.ts',
    'tests/support/processor-time.mjs',
  ])('selects everything if %s changes', (file) => {
    const { everything, tests, all } = select('docs/testing.md', file);
    expect(everything).toBe(file);
    expect(tests.size).toBe(all.length);
  });

  it('lints the files that import a changed file', () => {
    const { sources } = select('mf-community/src/text.ts');
    expect(sources).toContain('mf-community/src/App.tsx');
    expect(sources.filter((file) => file.startsWith('mf-listings/'))).toEqual([]);
  });

  it('lints nothing if only documents and data change', () => {
    expect(select('docs/testing.md', 'infra/migrations/0001_event-store.sql').sources).toEqual([]);
  });

  it('compares the working tree with the commit at which the branch left the main branch', () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'alpenglow-changes-'));
    // The settings of the user could sign commits or ignore files.
    vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null');
    vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1');
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd: dir,
        stdio: 'ignore',
      });
    const write = (name: string, text: string) => writeFileSync(path.join(dir, name), text);
    try {
      git('init', '--initial-branch=main');
      for (const name of ['committed', 'edited', 'deleted', 'same']) write(name, 'before');
      git('add', '.');
      git('commit', '--message=first');
      git('checkout', '-b', 'topic');
      write('committed', 'after');
      git('commit', '--all', '--message=second');
      write('edited', 'after');
      write('new file', 'new');
      rmSync(path.join(dir, 'deleted'));
      const { changed, files } = readChanges(dir, undefined);
      expect(changed.toSorted()).toEqual(['committed', 'deleted', 'edited', 'new file']);
      expect(files.toSorted()).toEqual(['committed', 'edited', 'new file', 'same']);
      expect(readChanges(dir, 'HEAD').changed.toSorted()).toEqual(['deleted', 'edited', 'new file']);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('rejects a folder without Git, and an unknown commit', () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'alpenglow-changes-'));
    vi.stubEnv('GIT_CEILING_DIRECTORIES', path.dirname(dir));
    try {
      expect(() => readChanges(dir, undefined)).toThrow('--changed reads the changes with Git, which failed: git ');
      expect(() => readChanges(root, 'no-such-commit')).toThrow('no-such-commit');
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('says what it leaves out, and why it chose the rest', () => {
    const all = ['domain/test/a.test.ts', 'domain/test/b.test.ts', 'tests/browser/c.test.ts'];
    expect(explain(all, new Map([['domain/test/a.test.ts', 'has changed']]))).toEqual([
      '  unit: 1 of 2 files, 1 left out (has changed)',
      '  browser: 0 of 1 files, 1 left out',
    ]);
  });
});
