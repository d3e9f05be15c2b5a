// @ts-check
/** Selects the tests that changed files can affect, for `npm test -- --changed`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SOURCE } from './import-graph.mjs';
import { EVERY_PAGE, PAGES_OF_BROWSER_TESTS, readPageOwners } from './pages.mjs';

/** Files that every check depends on. */
const EVERYTHING = new Set([
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'biome.json',
  'knip.json',
  'oxlint.config.mjs',
  'tests/run.mjs',
  'tests/support/product.ts',
  'tests/support/database.ts',
]);
/** The settings of all tests. They name the modules that run before test files. */
const SETTINGS = 'tests/vitest.config.ts';
/** The build of the programs. It names the main file of each. */
const BUILD = 'launcher/build/build-servers.mjs';
/** Files that start built programs without naming the build. */
const STARTS_PROGRAMS = [
  'infra/deploy/image/run.mjs',
  'launcher/cluster/supervisor.mjs',
  'tests/support/npm-service.ts',
];
const TEST = /\.test\.tsx?$/u;
/** Finds tests that fetch pages without a browser. Other tests may contain paths that only look like pages. */
const READS_TEXT = /text\/html|\.text\(\)/u;
/** Tests that read all sources and documents. */
const ARCHITECTURE = 'tests/architecture/';

/**
 * @typedef {object} Selection
 * @property {string | null} everything   the changed file that affects all checks, or null
 * @property {ReadonlyMap<string, string>} tests   the selected test files, each with the reason
 * @property {readonly string[]} all   all test files of `npm run test:all`
 * @property {readonly string[]} sources   source files that have changed or import a changed file
 */

/**
 * Selects a test if it uses a changed file, if it opens a page of a changed front end, or if it uses the package of a
 * changed file whose users are unknown. The tests of the architecture are always selected.
 * @param {import('./import-graph.mjs').Graph} graph
 * @param {readonly string[]} changed   changed files, relative to the checkout. Some may have been deleted
 * @param {string} root   the checkout
 * @returns {Selection}
 */
export function selectTests(graph, changed, root) {
  const tests = graph.files.filter((file) => TEST.test(file) && !file.startsWith('tests/engines/'));
  const setUp = setUpOf(graph);
  const everything = changed.find((file) => EVERYTHING.has(file) || setUp.has(file)) ?? null;
  const ownersOf = readPageOwners(root);
  /** @type {Map<string, string>} */
  const selected = new Map();
  const importers = reverse(graph.files, (file) => graph.imports.get(file) ?? []);
  const users = reverse(graph.files, (file) => [
    ...(graph.imports.get(file) ?? []),
    ...(graph.names.get(file) ?? []),
    ...(STARTS_PROGRAMS.includes(file) ? [BUILD] : []),
  ]);
  const known = new Set(graph.files);
  const inDocuments = (/** @type {string} */ file) => file.endsWith('.md');

  for (const test of tests) if (test.startsWith(ARCHITECTURE)) selected.set(test, 'reads all files');
  for (const file of changed) {
    const affected = closure(known.has(file) ? [file] : [], users, (name) => foldersOf(name));
    for (const test of tests)
      if (affected.has(test)) selected.set(test, test === file ? 'has changed' : `uses ${file}`);
    if (inDocuments(file) || affected.size > 1 || TEST.test(file)) continue;
    // No file uses this file, or it was deleted, so its users are unknown. All tests that use its package are selected.
    const folder = `${file.split('/')[0]}/`;
    const ofPackage = closure(
      graph.files.filter((name) => name.startsWith(folder) && !TEST.test(name)),
      users,
      foldersOf,
    );
    for (const test of tests) if (ofPackage.has(test)) selected.set(test, `uses the package of ${file}`);
  }
  for (const test of tests.filter((name) => name.startsWith('tests/'))) {
    const isBrowserTest = test.startsWith('tests/browser/');
    const text = readFileSync(path.join(root, test), 'utf8');
    const owners = isBrowserTest
      ? PAGES_OF_BROWSER_TESTS[path.basename(test, '.test.ts')]
      : READS_TEXT.test(text)
        ? ownersOf(text)
        : [];
    if (owners === undefined || (owners.length === 0 && !isBrowserTest)) continue;
    const places = [
      ...EVERY_PAGE,
      ...owners.filter((name) => name !== 'shell').flatMap((name) => [`${name}/src/`, `${name}/package.json`]),
    ];
    const page = changed.find((file) =>
      places.some((place) => file === place || (place.endsWith('/') && file.startsWith(place))),
    );
    if (page !== undefined && !selected.has(test)) selected.set(test, `opens pages of ${page.split('/')[0]}`);
  }
  return {
    everything,
    all: tests,
    tests: everything === null ? selected : new Map(tests.map((test) => [test, `${everything} has changed`])),
    sources: [
      ...closure(
        changed.filter((file) => known.has(file)),
        importers,
        () => [],
      ),
    ].filter((file) => SOURCE.test(file)),
  };
}

/**
 * Returns the settings of all tests, the modules that they name, and all files that these import.
 * @param {import('./import-graph.mjs').Graph} graph
 */
function setUpOf(graph) {
  const named = (graph.names.get(SETTINGS) ?? []).filter((file) => SOURCE.test(file) && !TEST.test(file));
  return closure([SETTINGS, ...named], graph.imports, () => []);
}

/**
 * Returns the kind of a test file as in `vitest.config.ts`. A long file counts as the kind of its folder.
 * @param {string} test
 */
export function kindOf(test) {
  const [top, folder = ''] = test.split('/');
  if (top !== 'tests' || folder === 'support') return 'unit';
  return ['contract', 'golden', 'security'].includes(folder) ? 'integration' : folder;
}

/** @param {string} file @returns {readonly string[]} the folders in which a file is, each with `/` at the end */
function foldersOf(file) {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`);
}

/**
 * @param {readonly string[]} files
 * @param {(file: string) => readonly string[]} usesOf
 * @returns {ReadonlyMap<string, readonly string[]>} the users of each file
 */
function reverse(files, usesOf) {
  /** @type {Map<string, string[]>} */
  const users = new Map();
  for (const file of files) for (const used of usesOf(file)) users.set(used, [...(users.get(used) ?? []), file]);
  return users;
}

/**
 * Returns files with all files that use them directly or indirectly. With imports as `users`, returns files with all
 * files that they import.
 * @param {readonly string[]} start
 * @param {ReadonlyMap<string, readonly string[]>} users
 * @param {(file: string) => readonly string[]} foldersIn   folders whose users also use the file
 */
function closure(start, users, foldersIn) {
  const found = new Set(start);
  const pending = [...start];
  for (let file = pending.pop(); file !== undefined; file = pending.pop())
    for (const place of [file, ...foldersIn(file)])
      for (const user of users.get(place) ?? []) {
        if (found.has(user)) continue;
        found.add(user);
        // A test may read a folder with other tests, but does not depend on them.
        if (!TEST.test(user)) pending.push(user);
      }
  return found;
}
