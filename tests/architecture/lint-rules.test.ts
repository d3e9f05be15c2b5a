import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const repository = path.resolve(import.meta.dirname, '../..');
const LINTER = path.join(repository, 'node_modules/oxlint/bin/oxlint');
const COMPILER = path.join(repository, 'node_modules/@typescript/native/bin/tsc');
const run = promisify(execFile);

/** Returns the source text of a function with this number of lines, which also contains comments and blank lines. */
const functionOf = (lines: number) => `export function a() {\n${'\n  //\n'.repeat((lines - 2) / 2)}}`;

/** Source texts that violate lint rules of this repository. Each text violates only the rules in `broken`. */
const EXAMPLES: Record<string, { readonly source: string; readonly broken: readonly string[] }> = {
  'infra/src/enum.ts': { source: "export enum E { A = 'a' }", broken: ['alpenglow(no-enum)'] },
  'projectors/src/projections/enum.ts': { source: "export enum E { A = 'a' }", broken: ['alpenglow(no-enum)'] },
  'infra/src/console.ts': { source: 'console.log(1);', broken: ['eslint(no-console)'] },
  'domain/src/console.ts': { source: 'console.log(1);', broken: ['eslint(no-console)'] },
  'shell/server/console.ts': { source: 'console.log(1);', broken: ['eslint(no-console)'] },
  'mf-listings/src/console.tsx': { source: 'console.log(1);', broken: ['eslint(no-console)'] },
  'domain/src/now.ts': { source: 'export const a = new Date();', broken: ['alpenglow(no-clock)'] },
  'domain/src/clock.ts': { source: 'export const a = Date.now();', broken: ['eslint(no-restricted-properties)'] },
  'domain/src/chance.ts': { source: 'export const a = Math.random();', broken: ['eslint(no-restricted-properties)'] },
  'domain/src/process.ts': { source: 'export const a = process.env;', broken: ['eslint(no-restricted-globals)'] },
  'projectors/src/projections/now.ts': { source: 'export const a = new Date();', broken: ['alpenglow(no-clock)'] },
  'projectors/src/projections/clock.ts': {
    source: 'export const a = Date.now();',
    broken: ['eslint(no-restricted-properties)'],
  },
  'mf-listings/src/router.ts': {
    source: "export { Await } from 'react-router-dom';",
    broken: ['eslint(no-restricted-imports)'],
  },
  'ui/src/router.ts': { source: "export { Link } from 'react-router';", broken: ['eslint(no-restricted-imports)'] },
  'shell/src/state.tsx': {
    source:
      "import { useState } from 'react';\n" +
      'export function A() {\n  const [n, set] = useState(0);\n  set(1);\n  return <p>{n}</p>;\n}',
    broken: ['react(set-state-in-render)'],
  },
  'mf-listings/src/sorted.ts': {
    source: 'export const a = [2, 1].toSorted();',
    broken: ['alpenglow(supported-browsers)'],
  },
  'ui/src/text.ts': {
    source: "export const a = ['a'.isWellFormed(), Object.groupBy([1], String), /(?<!a)b/u];",
    broken: Array<string>(3).fill('alpenglow(supported-browsers)'),
  },
  'mf-post-ad/src/signal.ts': {
    source: 'export const a = (one: AbortSignal) => AbortSignal.any([one]);',
    broken: ['alpenglow(supported-browsers)'],
  },
  'shell/src/asked.ts': {
    source: "export const a = 'startViewTransition' in document && document.startViewTransition(() => undefined);",
    broken: [],
  },
  'query-api/src/sorted.ts': { source: 'export const a = [2, 1].toSorted();', broken: [] },
  'launcher/tools/this.mjs': {
    source: 'export class A {\n  m() {\n    const self = this;\n    return self;\n  }\n}',
    broken: ['alpenglow(no-this-alias)'],
  },
  'infra/src/directive.ts': {
    source: '// oxlint-disable-next-line no-console\nexport const a = 1;',
    broken: ['unused directive'],
  },
  'infra/src/long.ts': { source: functionOf(152), broken: ['eslint(max-lines-per-function)'] },
  'mf-listings/src/long.tsx': { source: functionOf(152), broken: ['eslint(max-lines-per-function)'] },
  'launcher/tools/long.mjs': { source: functionOf(152), broken: ['eslint(max-lines-per-function)'] },
  'infra/src/longest.ts': { source: functionOf(150), broken: [] },
  'infra/test/long.ts': { source: functionOf(152), broken: [] },
  'tests/long.ts': { source: functionOf(152), broken: [] },
  'domain/src/fine.ts': { source: 'export const a = (at: number) => new Date(at);', broken: [] },
  'infra/src/fine.ts': { source: 'export const a = [new Date(), Date.now(), Math.random(), process.env];', broken: [] },
  'mf-listings/src/fine.ts': {
    source: "export { Link } from 'react-router-dom';\nexport type { To } from 'react-router-dom';",
    broken: [],
  },
};

interface Problem {
  readonly filename: string;
  readonly message: string;
  readonly code?: string;
}

let root = '';
let problems: readonly Problem[] = [];

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'alpenglow-lint-'));
  // Applies the lint rules of the repository to a temporary folder. Rules that need type information are disabled for
  // this folder.
  const config = JSON.stringify(pathToFileURL(path.join(repository, 'oxlint.config.mjs')).href);
  const plugin = JSON.stringify(path.join(repository, 'tests/architecture/lint-plugin.mjs'));
  await writeFile(
    path.join(root, 'oxlint.config.mjs'),
    `import config from ${config};\nexport default { ...config, jsPlugins: [${plugin}], ` +
      'options: { ...config.options, typeAware: false } };\n',
  );
  for (const [file, { source }] of Object.entries(EXAMPLES)) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), `${source}\n`);
  }
  // The linter exits with code 1 if it reports problems. The call then rejects with an error that contains the output.
  const { stdout } = await run(process.execPath, [LINTER, '-c', 'oxlint.config.mjs', '-f', 'json'], {
    cwd: root,
  }).catch((error: unknown) => error as { stdout: string });
  problems = (JSON.parse(stdout) as { diagnostics: readonly Problem[] }).diagnostics;
});

afterAll(() => rm(root, { recursive: true, force: true }));

it.each(Object.entries(EXAMPLES))('the linter reports the expected problems in %s', (file, { broken }) => {
  const reported = problems
    .filter(({ filename }) => filename === file)
    .map(({ code, message }) => code ?? (/^Unused .* directive/u.test(message) ? 'unused directive' : message));
  expect(reported).toEqual(broken);
});

it('the linter has type information for every source file', async () => {
  // The linter reads types from the TypeScript project in the root folder, so the project must contain every source
  // file. If two files have the same base name, such as a.ts and a.tsx, TypeScript omits one of them.
  const [{ stdout: linted }, { stdout: project }] = await Promise.all([
    run(process.execPath, [LINTER, '-c', 'oxlint.config.mjs', '--debug=files'], { cwd: repository }),
    run(process.execPath, [COMPILER, '-p', '.', '--showConfig'], { cwd: repository }),
  ]);
  const known = new Set(
    (JSON.parse(project) as { files: readonly string[] }).files.map((file) => path.normalize(file)),
  );
  const sources = linted.split('\n').filter((line) => /\.\w+$/u.test(line));
  expect(sources.length).toBeGreaterThan(1_000);
  expect(sources.filter((file) => !known.has(path.normalize(file)))).toEqual([]);
});

it('checks the types of every script, because its first line requests this', async () => {
  const { stdout } = await run('git', ['ls-files', '*.mjs'], { cwd: repository });
  const scripts = stdout
    .trim()
    .split('\n')
    .filter((file) => existsSync(path.join(repository, file)));
  expect(scripts).toContain('tests/run.mjs');
  const firstLines = await Promise.all(
    scripts.map(async (file) => [file, (await readFile(path.join(repository, file), 'utf8')).split('\n', 1)[0]]),
  );
  expect(firstLines.filter(([, line]) => line !== '// @ts-check')).toEqual([]);
});
