import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

/** Finds names in the documents of files, links, code, scripts, settings and tests that no longer exist. */

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Files that the product creates, that are built, or that belong to packages. */
const CREATED_FILES: ReadonlySet<string> = new Set([
  '.build/test-results.json',
  '@zip.js/zip.js',
  'bench/results.json',
  'build.json',
  'history.json',
  'mf-manifest.json',
  'postgres.json',
  'registry.json',
  'robots.txt',
  'sbom.cdx.json',
  'secrets.json',
  'server/server.cjs',
  'shells/<hash>.json',
  'timeline.html',
]);
/** Files of the examples in `docs/recipes.md`. */
const EXAMPLE_FILES: ReadonlySet<string> = new Set([
  'mf-events/package.json',
  'mf-events/rspack.config.mjs',
  'mf-events/src/App.tsx',
  'mf-listings/src/pages/my-reviews.tsx',
  'projectors/src/projections/ad-bumps.ts',
  'projectors/test/ad-bumps.test.ts',
  'tests/golden/events/AdBoosted.v1.json',
]);
/** Names of other programs, and of the examples in `docs/recipes.md`. */
const OTHER_NAMES: ReadonlySet<string> = new Set([
  // Settings and programs of Postgres.
  ...['archive_command', 'btree_gin', 'pg_dump', 'recovery_target_time', 'restore_command'],
  // A command of WebDriver BiDi.
  'setMediaFeaturesOverride',
  // A setting of Node.
  'NODE_EXTRA_CA_CERTS',
  // A table whose name depends on the version of a read model.
  'ad_cards__v6',
  ...['AdBoosted', 'boostAd', 'ad_bumps', 'AD_BUMPS', 'LANGUAGES_MAX'],
]);

const EXTENSION = '(?:cjs|css|html|js|json|md|mjs|sh|sql|ts|tsx|txt|yaml|yml)';
const FILE_NAME = new RegExp(String.raw`^[\w*{<@.][\w./*{},@<>-]*\.${EXTENSION}$`, 'u');
/** A name in code: camelCase, PascalCase, CONSTANT_CASE or snake_case. Group: the last part of `a.b.name(…)`. */
const CODE_NAME = /^(?:[\w$]+\.)*([A-Za-z_$][\w$]*)(?:\(.*\))?$/u;
const HAS_SEVERAL_WORDS = /[a-z][A-Z]|[A-Z][a-z].*[A-Z]|[A-Za-z]_[A-Za-z]/u;
const SETTING = /(?<![\w$./-])[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+(?![\w-])/gu;
const LONG = /\.long\.test\.tsx?$/u;

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString('utf8')
  .split('\0')
  // Git may still list a deleted file.
  .filter((file) => file !== '' && existsSync(path.join(root, file)));
const tests = files.filter((file) => /\.test\.tsx?$/u.test(file));
const CODE = /(?:\.(?:css|html|js|json|mjs|sh|sql|ts|tsx|yaml|yml)|Dockerfile|\.ci\/run)$/u;
const NO_CODE: ReadonlySet<string> = new Set(['package-lock.json', 'tests/architecture/document-names.test.ts']);
/** All names in the code. */
const names = new Set(
  files
    .filter((file) => CODE.test(file) && !NO_CODE.has(file))
    .flatMap((file) => read(file).match(/[A-Za-z_$][\w$]*/gu)),
);
const documents = files
  // Lists of terms and the articles of the demo do not describe the code.
  .filter((file) => file.endsWith('.md') && !/^(?:docs\/terms|launcher\/seed)\//u.test(file))
  .map((file) => ({ file, text: read(file) }));

const escape = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`);
const codeIn = (text: string) => [...text.matchAll(/`([^`\n]+)`/gu)].map(([, code = '']) => code);

/** Returns the names of a pattern such as `{en,de}.json`. */
function expand(name: string): readonly string[] {
  const [braces, list = ''] = /\{([^}]*)\}/u.exec(name) ?? [];
  return braces === undefined ? [name] : list.split(',').map((part) => name.replace(braces, part));
}

/** Returns true if a file has this path, or the end of it. `*` and `<name>` match any text. */
function isFile(name: string): boolean {
  const pattern = escape(name.replace(/^\.\//u, '')).replaceAll(/\\\*|<[^>]*>/gu, '.*');
  const matcher = new RegExp(`(?:^|/)${pattern}$`, 'u');
  return files.some((file) => matcher.test(file));
}

function findMissingFiles(text: string): readonly string[] {
  return codeIn(text)
    .filter((code) => FILE_NAME.test(code))
    .flatMap(expand)
    .filter((name) => !CREATED_FILES.has(name.replace(/^DATA_DIR\//u, '')) && !EXAMPLE_FILES.has(name))
    .filter((name) => !isFile(name));
}

/** Folders that a build creates. */
const CREATED_FOLDERS: ReadonlySet<string> = new Set(['launcher/dist']);
const folders = new Set(
  files.flatMap((file) =>
    file.split('/').flatMap((_, index, parts) => (index === 0 ? [] : [parts.slice(0, index).join('/')])),
  ),
);

/** Returns the folders of this repository that a text names, such as `docs/product`, and that do not exist. */
function findMissingFolders(text: string): readonly string[] {
  return codeIn(text)
    .map((code) => code.replace(/\/$/u, ''))
    .filter((code) => /^[\w.-]+(?:\/[\w-]+)+$/u.test(code) && folders.has(code.split('/')[0] ?? ''))
    .filter((code) => !folders.has(code) && !files.includes(code) && !CREATED_FOLDERS.has(code));
}

/** Returns the name of a heading in links, as GitHub and most other programs derive it. */
const toAnchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/gu, '')
    .replaceAll(' ', '-');

/** Returns the links to files of the repository, or to headings in them, that do not exist. */
function findBrokenLinks(text: string, file = 'README.md'): readonly string[] {
  const prose = text.replaceAll(/^ *```[^]*?^ *```$/gmu, '').replaceAll(/`[^`\n]*`/gu, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/gu)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/u.test(link))
    .filter((link) => {
      const [target = '', anchor] = link.split('#');
      const linked = target === '' ? file : path.join(path.dirname(file), target);
      if (!existsSync(path.join(root, linked))) return true;
      if (anchor === undefined) return false;
      const headings = [...read(linked).matchAll(/^#+ (.+)$/gmu)].map(([, heading = '']) => toAnchor(heading));
      return !headings.includes(anchor);
    });
}

function findMissingNames(text: string): readonly string[] {
  const inCode = codeIn(text).flatMap((code) => {
    const name = CODE_NAME.exec(code)?.[1] ?? '';
    return HAS_SEVERAL_WORDS.test(name) ? [name] : [];
  });
  return [...inCode, ...(text.match(SETTING) ?? [])].filter((name) => !names.has(name) && !OTHER_NAMES.has(name));
}

function scriptsOf(workspace: string): object {
  const file = path.join(workspace, 'package.json');
  return existsSync(path.join(root, file)) ? ((JSON.parse(read(file)) as { scripts?: object }).scripts ?? {}) : {};
}

function findMissingScripts(text: string): readonly string[] {
  return [...text.matchAll(/npm run ([\w:-]+)(?: -w ([\w-]+))?/gu)]
    .filter(([, script = '', workspace = '.']) => !(script in scriptsOf(workspace)))
    .map(([command]) => command);
}

/**
 * Returns the commands that run no test file. `npm test -- <name>` also runs `.long` files with this name, and
 * `npx vitest` does not.
 */
function findEmptyTestCommands(text: string): readonly string[] {
  return [...text.matchAll(/(npm (?:test|run test:all) --|npx vitest run) ([^`\n#…]+)/gu)]
    .filter(([, command = '', options = '']) => {
      const suite = /--project (\w+)/u.exec(options)?.[1];
      const folder = suite !== undefined && existsSync(path.join(root, 'tests', suite)) ? `tests/${suite}/` : '';
      const candidates = tests.filter(
        (file) => file.startsWith(folder) && !(command === 'npx vitest run' && LONG.test(file)),
      );
      return options
        .replaceAll(/--\S+ \S+|<[^>]*>/gu, '')
        .split(/[\s,.;)]+/u)
        .filter((filter) => /^\w[\w/-]*$/u.test(filter))
        .some((filter) => !candidates.some((file) => file.includes(filter)));
    })
    .map(([command]) => command.trim());
}

/** Returns the names of test files that a table "file in `<folder>`" lists and that do not exist in this folder. */
function findMissingTestFiles(text: string): readonly string[] {
  return [...text.matchAll(/^\| file in `([\w/]+)` \|.*\n\|[-|]+\n((?:\|.*\n)+)/gmu)].flatMap(
    ([, folder = '', rows = '']) =>
      rows
        .trim()
        .split('\n')
        .flatMap((row) => codeIn(row.split('|')[1] ?? ''))
        .filter(
          (name) => !['.test.ts', '.long.test.ts'].some((ending) => files.includes(`${folder}/${name}${ending}`)),
        ),
  );
}

const CHECKS: Readonly<Record<string, (text: string, file: string) => readonly string[]>> = {
  'names of missing files': findMissingFiles,
  'names of missing folders': findMissingFolders,
  'broken links': findBrokenLinks,
  'unknown names of code and settings': findMissingNames,
  'unknown npm scripts': findMissingScripts,
  'test commands that run no test': findEmptyTestCommands,
  'tables with missing test files': findMissingTestFiles,
};

describe.each(Object.entries(CHECKS))('no document contains %s', (_kind, check) => {
  test('in its text', () => {
    expect(documents.length).toBeGreaterThan(100);
    expect(documents.flatMap(({ file, text }) => check(text, file).map((name) => `${file}: ${name}`))).toEqual([]);
  });
});

describe('the checks', () => {
  test('find a file that does not exist, and accept parts of paths and patterns', () => {
    expect(
      findMissingFiles('`domain/src/*/as-of.ts`, `config.ts`, `locales/{en,xx}.json`, `<package>/src/index.ts`'),
    ).toEqual(['domain/src/*/as-of.ts', 'locales/xx.json']);
  });

  test('find a folder that does not exist', () => {
    expect(findMissingFolders('`docs/product`, `docs/rules/`, `text/html`, `projectors/src/reactors`')).toEqual([
      'docs/rules',
    ]);
  });

  test('find a link to a file or heading that does not exist', () => {
    const links = '[a](docs/glossary.md), [b](docs/operations.md#replace-a-secret), [c](https://example.org), `[d](e)`';
    expect(findBrokenLinks(links)).toEqual([]);
    expect(findBrokenLinks('[a](missing.md) and [b](docs/operations.md#no-heading)')).toEqual([
      'missing.md',
      'docs/operations.md#no-heading',
    ]);
    expect(findBrokenLinks('[a](glossary.md)', 'docs/operations.md')).toEqual([]);
  });

  test('find a name that does not exist', () => {
    expect(findMissingNames('`MailRefused`, `MailRejected`, `DATA_DIR`, SINCE_WEEKS, `word`')).toEqual([
      'MailRefused',
      'SINCE_WEEKS',
    ]);
  });

  test('find a script that does not exist', () => {
    expect(
      findMissingScripts('`npm run lint`, `npm run lint:all`, `npm run deploy -w mf-admin`, `npm run deploy`'),
    ).toEqual(['npm run lint:all', 'npm run deploy']);
  });

  test('find a test command that runs nothing, or only files that it excludes', () => {
    expect(findEmptyTestCommands('`npm test -- tests/architecture`, `npm test -- browser/messages`')).toEqual([]);
    expect(findEmptyTestCommands('`npm test -- browser/message-list`')).toEqual(['npm test -- browser/message-list']);
    const vitest = 'npx vitest run --config tests/vitest.config.ts --project browser';
    expect(findEmptyTestCommands(`${vitest} routes # all`)).toEqual([]);
    expect(findEmptyTestCommands(`${vitest} messages`)).toEqual([`${vitest} messages`]);
  });

  test('find a row of a table without a test file', () => {
    expect(findMissingTestFiles('| file in `tests/browser` | a |\n|---|---|\n| `routes`, `size` | b |\n')).toEqual([
      'size',
    ]);
  });
});
