// @ts-check
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/**
 * The files of the checkout and what each of them uses. All paths are relative to the checkout.
 * @typedef {object} Graph
 * @property {readonly string[]} files   all files that Git does not ignore
 * @property {ReadonlyMap<string, readonly string[]>} imports   imported files, also by type imports
 * @property {ReadonlyMap<string, readonly string[]>} names   files and folders that a file names in a string, such as a
 * script that it starts. A folder ends with `/`.
 */

/** Files that have imports and that can be linted. */
export const SOURCE = /\.(?:ts|tsx|mjs|js)$/u;
/** Strings that may be the path of a file. */
const PATH_TEXT = /(?<quote>['"`])(?<text>[\w@.-][\w@./-]*)\k<quote>/gu;

/**
 * Reads the import graph of a checkout.
 * @param {string} root
 * @param {readonly string[]} files   all files that Git does not ignore, relative to the checkout
 * @returns {Graph}
 * @throws {Error} if an import of a file of the checkout cannot be resolved
 */
export function readGraph(root, files) {
  const known = new Set(files);
  const folders = new Set(files.flatMap(foldersAbove));
  const resolveWorkspace = workspaceResolver(root, files);
  const imports = new Map();
  const names = new Map();
  for (const file of files.filter((name) => SOURCE.test(name))) {
    const text = readFileSync(path.join(root, file), 'utf8');
    imports.set(
      file,
      ts.preProcessFile(text, true, true).importedFiles.flatMap(({ fileName }) => {
        const [specifier = ''] = fileName.split('?');
        const target = specifier.startsWith('.')
          ? path.posix.join(path.posix.dirname(file), specifier)
          : resolveWorkspace(specifier);
        if (target === null) return [];
        // The built files of a package are not in the repository.
        if (known.has(target)) return [target];
        if (isBuilt(root, target)) return [];
        throw new Error(`${file} imports ${specifier}, which does not exist`);
      }),
    );
    names.set(
      file,
      [...text.matchAll(PATH_TEXT)].flatMap(({ groups }) => {
        const name = groups?.['text'] ?? '';
        return [path.posix.join(path.posix.dirname(file), name), path.posix.normalize(name)]
          .map((place) => place.replace(/\/$/u, ''))
          .flatMap((place) =>
            known.has(place)
              ? [place]
              : folders.has(place) && name.includes('/') && !file.startsWith(`${place}/`)
                ? [`${place}/`]
                : [],
          );
      }),
    );
  }
  return { files, imports, names };
}

/** @param {string} file */
function foldersAbove(file) {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** @param {string} root @param {string} target */
const isBuilt = (root, target) =>
  /(?:^|\/)(?:dist|\.build|node_modules)\//u.test(target) ||
  // A virtual module of a build has no file.
  statSync(path.join(root, path.dirname(target)), { throwIfNoEntry: false }) === undefined;

/**
 * Returns a function that returns the file of an import such as `@alpenglow/ui/contract`, or null for other packages.
 * @param {string} root
 * @param {readonly string[]} files
 */
function workspaceResolver(root, files) {
  const targets = new Map(
    files
      .filter((file) => /^[^/]+\/package\.json$/u.test(file))
      .flatMap((file) => {
        const { name, exports = {} } = JSON.parse(readFileSync(path.join(root, file), 'utf8'));
        return Object.entries(exports).map(
          ([key, target]) =>
            /** @type {const} */ ([path.posix.join(name, key), path.posix.join(path.dirname(file), String(target))]),
        );
      }),
  );
  return (/** @type {string} */ specifier) => targets.get(specifier) ?? null;
}
