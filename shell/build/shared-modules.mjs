// @ts-check
/** The modules that the shell shares with the remotes, and the style tokens of `ui`. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';

/**
 * The modules that are loaded only once, because they contain a React context or other state. `react` and `react/` are
 * two entries, because `react/` matches only the paths below the package.
 */
export const SHARED = [
  ...['react', 'react/', 'react-dom', 'react-dom/', 'react-router-dom', '@tanstack/react-query'],
  // Each front end has its own instance of Lingui with its own texts. Only the code is shared, because each list and
  // each page needs it.
  ...['@lingui/core', '@lingui/react'],
];

/**
 * Returns the package of a shared module, e.g. `react` for `react/` and `react/jsx-runtime`.
 * @param {string} request
 */
export const packageOf = (request) => /^(?:@[^/]+\/)?[^/]+/u.exec(request)?.[0] ?? request;

/** This module is also part of a package for other repositories, so it does not import the folder of the checkout. */
const CHECKOUT = path.resolve(import.meta.dirname, '../..');

/**
 * Returns the installed version of a package.
 * @param {string} name
 * @param {string} [rootDir]  the folder with `node_modules`
 * @returns {string}
 */
export const versionOf = (name, rootDir = CHECKOUT) =>
  JSON.parse(readFileSync(path.join(rootDir, 'node_modules', name, 'package.json'), 'utf8')).version;

/**
 * A remote of another repository does not install packages that it does not use, although its manifest names them.
 * @param {string} name
 * @param {string} rootDir
 */
const isInstalled = (name, rootDir) => existsSync(path.join(rootDir, 'node_modules', name, 'package.json'));

/**
 * Returns the installed version of each shared package, which the shell provides.
 * @returns {Record<string, string>}
 */
export const providedPackages = () =>
  Object.fromEntries(SHARED.map((request) => [packageOf(request), versionOf(packageOf(request))]));

/**
 * Returns the range of versions of each shared package with which a remote works. A later patch or minor version of the
 * package contains everything that the installed one contains.
 * @param {readonly string[]} modules  the shared modules of the remote
 * @param {string} [rootDir]  the folder with `node_modules`
 * @returns {Record<string, string>}
 */
export const neededPackages = (modules, rootDir = CHECKOUT) =>
  Object.fromEntries(
    [...new Set(modules.map(packageOf))]
      .filter((name) => isInstalled(name, rootDir))
      .sort()
      .map((name) => {
        const [major, minor] = versionOf(name, rootDir).split('.');
        return [name, `^${major}.${minor}.0`];
      }),
  );

/** Matches the use of a custom property without a fallback. */
const USED = /var\(\s*(--[\w-]+)\s*\)/gu;
/** Matches a declaration in a style sheet, and the name of a custom property in a script. */
const DECLARED = { '.css': /(?<![\w-])(--[\w-]+)\s*:/gu, '.js': /["'`](--[a-z][\w-]*)/gu };

/**
 * Returns the custom properties of the styles and scripts in a folder: those that they declare, and those that they use
 * without a fallback and do not declare. The latter must come from the shell.
 * @param {string} dir
 * @returns {Promise<{ declared: string[], needed: string[] }>} both sorted
 */
export async function findTokens(dir) {
  /** @type {Set<string>} */
  const declared = new Set();
  /** @type {Set<string>} */
  const used = new Set();
  for (const file of await readdir(dir)) {
    const extension = path.extname(file);
    if (extension !== '.css' && extension !== '.js') continue;
    const text = await readFile(path.join(dir, file), 'utf8');
    for (const [, name = ''] of text.matchAll(USED)) used.add(name);
    for (const [, name = ''] of text.matchAll(DECLARED[extension])) declared.add(name);
  }
  return { declared: [...declared].sort(), needed: [...used].filter((name) => !declared.has(name)).sort() };
}
