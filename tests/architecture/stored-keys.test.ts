import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { COOKIES, DATABASES, LOCAL_KEYS, TAB_KEYS } from '../../ui/src/host/stored-keys.ts';
import { sourcesBelow } from './source-texts.ts';

/**
 * Everything that the site stores in a browser has a name in `ui/src/host/stored-keys.ts`, so that a logout can delete
 * it. These tests find code that stores something under another name, or that bypasses the functions that
 * check names.
 */

const root = path.resolve(import.meta.dirname, '../..');
const LIST = 'ui/src/host/stored-keys.ts';
/** The objects of the list, and the functions that derive keys from it. */
const NAMES = /\b(?:LOCAL_KEYS|TAB_KEYS|DATABASES|COOKIES|DRAFT_FILES|(?:getD|d)raftPrefix|get\w*FavoritesKey)\b/u;

/** Uses of the browser's storage that do not check names. Each file has a reason. */
const DIRECT_USES: Readonly<Record<string, readonly string[]>> = {
  // Opens both storages, and checks the names.
  'ui/src/host/browser-storage.ts': ['localStorage', 'sessionStorage'],
  // Deletes the files of drafts even if the remote that stores them is not loaded.
  'ui/src/host/drafts.ts': ['indexedDB'],
  'mf-post-ad/src/media/pending-files.ts': ['createStore'],
  'shell/src/theme/theme.ts': ['document.cookie'],
  'shell/src/locale/locale.ts': ['document.cookie'],
};

const files = readdirSync(root)
  .filter((name) => /^(?:shell|ui|mf-[\w-]+)$/u.test(name))
  .flatMap((name) => sourcesBelow(path.join(root, name, 'src')))
  .map((file) => ({ name: path.relative(root, file), source: readFileSync(file, 'utf8') }));

const GLOBALS: ReadonlySet<string> = new Set(['localStorage', 'sessionStorage', 'indexedDB', 'caches', 'cookieStore']);

/** Returns the browser's storages that a file uses without the functions of `browser-storage.ts`. */
function findDirectUses(source: string): readonly string[] {
  const uses = new Set<string>();
  visit(source, (node) => {
    if (ts.isIdentifier(node) && GLOBALS.has(node.text)) uses.add(node.text);
    if (ts.isPropertyAccessExpression(node) && node.getText() === 'document.cookie') uses.add('document.cookie');
    if (ts.isCallExpression(node) && node.expression.getText() === 'createStore') uses.add('createStore');
  });
  return [...uses].sort();
}

/**
 * Returns the keys that a file writes but that do not come from the list. A key comes from the list if its expression
 * uses the list directly, or through variables or functions. A parameter is accepted as a key, because the caller
 * provides its value.
 */
function findUndeclaredKeys(source: string): readonly string[] {
  const definitions = new Map<string, string>();
  const parameters = new Set<string>();
  const keys: ts.Expression[] = [];
  visit(source, (node) => {
    if (ts.isVariableDeclaration(node) && node.initializer)
      definitions.set(node.name.getText(), node.initializer.getText());
    if (ts.isFunctionDeclaration(node) && node.name) definitions.set(node.name.text, node.getText());
    if (ts.isParameter(node)) parameters.add(node.name.getText());
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    const [key] = node.arguments;
    if (node.expression.name.text === 'setItem' && key) keys.push(key);
  });
  const usesList = (text: string, depth: number): boolean =>
    NAMES.test(text) ||
    (depth > 0 &&
      (text.match(/\w+/gu) ?? []).some((name) => {
        const definition = definitions.get(name);
        return definition !== undefined && usesList(definition, depth - 1);
      }));
  return keys
    .filter((key) => !usesList(key.getText(), 2) && !(ts.isIdentifier(key) && parameters.has(key.text)))
    .map((key) => key.getText());
}

function visit(source: string, onNode: (node: ts.Node) => void): void {
  const file = ts.createSourceFile('file.tsx', source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const step = (node: ts.Node): void => {
    onNode(node);
    ts.forEachChild(node, step);
  };
  step(file);
}

test('only few files use the storage of the browser without a check of the names', () => {
  expect(files.length).toBeGreaterThan(300);
  const uses = files.map(({ name, source }) => [name, findDirectUses(source)] as const);
  expect(Object.fromEntries(uses.filter(([, found]) => found.length > 0))).toEqual(DIRECT_USES);
});

test('every stored key is in the list', () => {
  const writers = files.filter(({ source }) => source.includes('.setItem('));
  expect(writers.length).toBeGreaterThan(10);
  expect(writers.flatMap(({ name, source }) => findUndeclaredKeys(source).map((key) => `${name}: ${key}`))).toEqual([]);
});

test('the files that use a storage directly take its name from the list', () => {
  for (const name of Object.keys(DIRECT_USES)) {
    const { source = '' } = files.find((file) => file.name === name) ?? {};
    expect(NAMES.test(source) || /\b(?:themeCookie|LOCALE_COOKIE)\b/u.test(source), name).toBe(true);
  }
  expect(readFileSync(path.join(root, 'shell/src/theme/theme-choice.ts'), 'utf8')).toMatch(NAMES);
  expect(readFileSync(path.join(root, 'ui/src/i18n/locales.ts'), 'utf8')).toMatch(NAMES);
});

test('the server sets only cookies of the list', () => {
  const list = readFileSync(path.join(root, LIST), 'utf8');
  const servers = ['infra', 'command-api', 'query-api', 'shell/server'].flatMap((folder) =>
    sourcesBelow(path.join(root, folder === 'shell/server' ? folder : `${folder}/src`)),
  );
  const setters = servers.filter((file) => /\.cookie\(|set-cookie/iu.test(readFileSync(file, 'utf8')));
  expect(setters.map((file) => path.relative(root, file))).toEqual([
    'infra/src/http/browsers.ts',
    'shell/server/index.ts',
    'shell/server/previews.ts',
  ]);
  expect(readFileSync(setters[2] ?? '', 'utf8')).toContain('res.cookie(COOKIES.preview,');
  const ofIndex = readFileSync(setters[1] ?? '', 'utf8');
  expect(ofIndex.match(/res\.cookie\([\w.]+/gu)).toEqual(['res.cookie(LOCALE_COOKIE', 'res.cookie(COOKIES.bucket']);
  const [, cookie] = /BROWSER_COOKIE = '(\w+)'/u.exec(readFileSync(setters[0] ?? '', 'utf8')) ?? [];
  expect(list).toContain(`'${cookie}'`);
});

test('the document about privacy names every key, with the place where it is stored', () => {
  const rows = readFileSync(path.join(root, 'docs/trust-and-privacy.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const findMissing = (keys: Readonly<Record<string, string>>, place: string) =>
    Object.values(keys).filter(
      (key) => !rows.some(([, names = '', , where = '']) => names.includes(`\`${key}\``) && where.includes(place)),
    );
  expect(findMissing(LOCAL_KEYS, 'local storage')).toEqual([]);
  expect(findMissing(TAB_KEYS, 'session storage')).toEqual([]);
  expect(findMissing(DATABASES, 'IndexedDB')).toEqual([]);
  expect(findMissing(COOKIES, 'cookie')).toEqual([]);
  expect(findMissing({ other: 'theme' }, 'session storage')).toEqual(['theme']);
});

test('the checks find a key that is not in the list', () => {
  expect(findDirectUses("globalThis.localStorage.getItem('a'); void caches.open('b')")).toEqual([
    'caches',
    'localStorage',
  ]);
  expect(findDirectUses('// localStorage is denied\nconst storage = browserStorage();')).toEqual([]);
  expect(findUndeclaredKeys("const KEY = 'recent';\nstorage.setItem(KEY, '1'); storage.setItem('seen', '1');")).toEqual(
    ['KEY', "'seen'"],
  );
  const declared = `
    const key = \`\${draftPrefix(viewer)}new\`;
    storage.setItem(key, text);
    tab?.setItem(TAB_KEYS.scroll, text);
    const toKey = (id: string) => LOCAL_KEYS.unsentFavorites + id;
    const hashed = await toKey(id);
    storage.setItem(hashed, text);
    const store = (storage: Storage, bucket: string) => storage.setItem(bucket, text);`;
  expect(findUndeclaredKeys(declared)).toEqual([]);
});
