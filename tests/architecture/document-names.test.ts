import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

/** Finds names of files, code, scripts, settings and tests in the documents that no longer exist. */

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Files that the product creates, that are built, or that belong to packages. */
const CREATED_FILES: ReadonlySet<string> = new Set([
  '@zip.js/zip.js',
  'postgres.json',
  'robots.txt',
  'sbom.cdx.json',
  'secrets.json',
  'server/server.cjs',
  'timeline.html',
]);
/** Files of the examples in `docs/recipes.md`. */
const EXAMPLE_FILES: ReadonlySet<string> = new Set([
  'mf-listings/src/pages/my-reviews.tsx',
  'projectors/src/projections/ad-bumps.ts',
  'projectors/test/ad-bumps.test.ts',
  'tests/golden/events/AdBoosted.v1.json',
]);
/** Names of other programs, and of the examples in `docs/recipes.md`. */
const OTHER_NAMES: ReadonlySet<string> = new Set([
  // Settings and programs of Postgres.
  ...['archive_command', 'btree_gin', 'pg_dump', 'recovery_target_time', 'restore_command'],
  // A setting of Node.
  'NODE_EXTRA_CA_CERTS',
  // A table whose name depends on the version of a read model.
  'ad_cards__v6',
  ...['AdBoosted', 'boostAd', 'ad_bumps', 'LANGUAGES_MAX'],
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
  .filter((file) => file.endsWith('.md') && !file.startsWith('docs/terms/'))
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
        .filter((filter) => /^[\w/-]+$/u.test(filter))
        .some((filter) => !candidates.some((file) => file.includes(filter)));
    })
    .map(([command]) => command.trim());
}

/** Returns the names in the first column of tables whose head is "file in `<folder>`" that are no test file there. */
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

const CHECKS = {
  'file names': findMissingFiles,
  'names of code and settings': findMissingNames,
  'npm scripts': findMissingScripts,
  'test commands that run no test': findEmptyTestCommands,
  'names of test files in tables': findMissingTestFiles,
};

describe.each(Object.entries(CHECKS))('the documents contain no outdated %s', (_kind, check) => {
  test('in any document', () => {
    expect(documents.length).toBeGreaterThan(100);
    expect(documents.flatMap(({ file, text }) => check(text).map((name) => `${file}: ${name}`))).toEqual([]);
  });
});

describe('the checks', () => {
  test('find a file that does not exist, and accept parts of paths and patterns', () => {
    expect(
      findMissingFiles('`domain/src/*/as-of.ts`, `config.ts`, `locales/{en,xx}.json`, `<package>/src/index.ts`'),
    ).toEqual(['domain/src/*/as-of.ts', 'locales/xx.json']);
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
