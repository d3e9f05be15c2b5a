import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { POSITION_WAIT_MAX_ms, UNKNOWN_ID_WAIT_MAX_ms, UNLISTED_AD_IDS_DEFAULT } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';

/** Compares docs/configuration.md with the environment variables that the sources read. */

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Environment variables that only programs set, with the reason why docs/configuration.md does not list them. */
const INTERNAL: Readonly<Record<string, string>> = {
  PATH: 'set by the operating system',
  HOME: 'set by the operating system',
  TMPDIR: 'set by the operating system, and by the test commands: the folder of temporary files',
  INIT_CWD: 'set by npm: the folder in which it was called',
  npm_execpath: 'set by npm: its program',
  npm_lifecycle_event: 'set by npm: the name of the script',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'set by the code itself for a library',
  CI: 'set by continuous integration and by `.ci/run`',
  TEST_SCOPE: 'set by the test commands: complete matrices or samples',
  TEST_MATRICES: 'set by `tests/vitest.config.ts`: only samples of matrices in this suite',
  TEST_NAMED_FILES: 'set by the test commands: whether test files were named',
  TEST_RESULTS: 'set by the test commands: the file for the results',
  TEST_EARLIER_RESULTS: 'set by the test commands: the file with the results of the last run',
  TEST_STARTED_AT_S: 'set by `.ci/run`: the time at which it started',
  TEST_SUMMARY: 'set by `.ci/run`: the file for the summary of a part',
  TEST_PROCESSOR_TIME: 'set by the test commands: the source of the processor time',
  TEST_VOLUMES_UNTIL: 'set by the test commands: the time until which repeated checks may continue',
  TEST_RUN_ID: 'set by the setup of the tests: separates the databases of parallel runs',
  TEST_RUN_DIR: 'set by the setup of the tests: the folder of prepared data',
  TEST_POSTGRES_URL: 'set by the setup of the tests: the server that it has started',
  STARTED_EVENTSTORE_URL:
    'set by `npm run test:engines` and `npm run test:contract`: the server that they have started',
  TEST_FAILURES_DIR: 'set by the test commands: the folder for the reports of failed browser tests',
  FAULT_SECONDS: 'set by `npm run test:engines`, which has the option `--short`',
  CLOCK_SHIFT_MS: 'set by the upgrade tests for processes whose clock continues where the old build stopped',
  CLOCK_DIR: 'set by `npm run prove` for processes with a wrong clock',
  SECRET_OF_THIS_TEST: 'set by the test that reads it',
};

/** Names of the settings in `infra/src/service/config.ts`, with the source text of their schemas. */
const [, schemaText = ''] =
  /^const environment = z\.object\(\{\n(.*?)^\}\)/msu.exec(read('infra/src/service/config.ts')) ?? [];
const schemas: ReadonlyMap<string, string> = new Map(
  schemaText.split(/^ {2}(?=[A-Z0-9_]+:)/mu).flatMap((property) => {
    const [name] = /^[A-Z0-9_]+/u.exec(property) ?? [];
    return name === undefined ? [] : [[name, property]];
  }),
);

/** The tables of docs/configuration.md by their heading. Each row has the names and the text of the default. */
const tables = new Map(
  read('docs/configuration.md')
    .split(/^## /mu)
    .slice(1)
    .map((section) => [
      section.split('\n', 1)[0] ?? '',
      [...section.matchAll(/^\| ((?:`[A-Z0-9_]+` ?)+)\| ([^|]*) \|/gmu)].map(([, names = '', otherwise = '']) => ({
        names: namesIn(names),
        otherwise,
      })),
    ]),
);
const rows = [...tables.values()].flat();
const documented = rows.flatMap(({ names }) => names);

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/[A-Z0-9_]+/gu)].map(([name]) => name);
}

/** Returns the names of the environment variables that a source text reads. */
function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(/\benv(?:\?\.)?(?:\.([A-Z][A-Z0-9_]+)\b|\[\s*'(\w+)'\s*\])/gu)].map(
    ([, property, key]) => property ?? key ?? '',
  );
}

const files = execFileSync('git', ['ls-files', '-z', '*.ts', '*.tsx', '*.mjs', '*.js', '*.cjs'], { cwd: root })
  .toString('utf8')
  .split('\0')
  .filter((file) => file !== '' && file !== 'tests/architecture/configuration.test.ts')
  // Git may still list a deleted file.
  .filter((file) => existsSync(path.join(root, file)));
const sources = files.map((file) => ({ file, text: read(file) }));
const readByCode = new Set([...sources.flatMap(({ text }) => variablesIn(text)), ...schemas.keys()]);

test('the search finds the ways in which code reads an environment variable, and no others', () => {
  const code = `process.env['ONE']; env.TWO; options.env[ 'three' ]; process.env.FOUR ?? 4; { env: { FIVE: '' } }`;
  expect(variablesIn(code)).toEqual(['ONE', 'TWO', 'three', 'FOUR']);
  expect(variablesIn('import.meta.environment.SIX; ENV.SEVEN; env[name]')).toEqual([]);
});

test('code reads environment variables by their name, so that the search finds them', () => {
  const destructured = sources.filter(({ text }) => /\}\s*=\s*process\.env\b/u.test(text)).map(({ file }) => file);
  expect(destructured).toEqual([]);
});

describe('docs/configuration.md', () => {
  test('lists every environment variable that code reads, except internal ones', () => {
    const missing = [...readByCode].filter((name) => !documented.includes(name) && !(name in INTERNAL));
    expect(missing.sort()).toEqual([]);
  });

  test('lists each variable once, and only variables that code reads', () => {
    expect(documented.filter((name, index) => documented.indexOf(name) !== index)).toEqual([]);
    expect(documented.filter((name) => !readByCode.has(name))).toEqual([]);
    expect(Object.keys(INTERNAL).filter((name) => !readByCode.has(name) || documented.includes(name))).toEqual([]);
  });

  test('lists the settings of config.ts as those of the product', () => {
    const ofProduct = (tables.get('The product') ?? []).flatMap(({ names }) => names);
    expect(schemas.size).toBeGreaterThan(50);
    expect(ofProduct.toSorted()).toEqual([...schemas.keys()].sort());
  });
});

/** Returns the default in the source text of a schema as the table writes it. Returns null if there is none. */
function defaultIn(schema: string): string | null {
  const [, source] = /\.default\((.+)\),?\s*$/su.exec(schema) ?? [];
  switch (source) {
    case undefined:
      return null;
    case '[]':
    case 'new Map()':
      return '–';
    case 'true':
      return '`on`';
    case 'false':
      return '`off`';
    case '[...UNLISTED_AD_IDS_DEFAULT]':
      return `\`${UNLISTED_AD_IDS_DEFAULT.join(',')}\``;
    case 'POSITION_WAIT_MAX_ms':
      return `\`${POSITION_WAIT_MAX_ms}\``;
    case 'UNKNOWN_ID_WAIT_MAX_ms':
      return `\`${UNKNOWN_ID_WAIT_MAX_ms}\``;
    default:
      return `\`${source.replace(/^'(.*)'$/u, '$1').replaceAll(/(?<=\d)_(?=\d)/gu, '')}\``;
  }
}

/** Returns the documented default of a variable. A row with several names lists their defaults in the same order. */
function documentedDefault(name: string): string {
  const row = rows.find(({ names }) => names.includes(name));
  const parts = row?.otherwise.match(/`[^`]*`|–/gu) ?? [];
  return row && row.names.length > 1 && parts.length === row.names.length
    ? (parts[row.names.indexOf(name)] ?? '')
    : (row?.otherwise ?? '');
}

const withDefault = [...schemas].flatMap(([name, schema]) => {
  const value = defaultIn(schema);
  return value === null ? [] : [[name, value] as const];
});

describe('the default', () => {
  test('of most settings is in their schema', () => {
    expect(withDefault.length).toBeGreaterThan(20);
  });

  test.each(withDefault)('of %s is documented as %s', (name, value) => {
    expect(documentedDefault(name).replace(/ \(`[^`]+` in the image\)$/u, '')).toBe(value);
  });

  test('of a variable that is read with a number as default is documented', () => {
    const found = sources.flatMap(({ text }) =>
      [...text.matchAll(/\benv\['(\w+)'\] (?:\?\?|\|\|) ([\d_]+)\b/gu)].map(([, name = '', value = '']) => [
        name,
        value.replaceAll('_', ''),
      ]),
    );
    const ofOthers = found.filter(([name = '']) => !schemas.has(name) && !(name in INTERNAL));
    expect(ofOthers.length).toBeGreaterThan(3);
    for (const [name = '', value = ''] of ofOthers) expect(documentedDefault(name), name).toBe(`\`${value}\``);
  });
});
