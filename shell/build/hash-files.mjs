// @ts-check
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const IGNORED = new Set(['node_modules', 'dist', 'test', 'tests']);

/** @param {string} location @returns {string[]} */
function filesBelow(location) {
  const found = statSync(location, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found ? [location] : [];
  const names = readdirSync(location).filter((name) => !IGNORED.has(name));
  return names.flatMap((name) => filesBelow(path.join(location, name)));
}

/**
 * Returns a hash of the inputs of a build. If it has not changed, the result of the build has not changed either. The
 * version of Node is not an input, because built files are the same with all versions.
 * @param {string} root
 * @param {readonly string[]} sources   paths of files and folders, relative to `root`; missing ones are left out
 * @param {readonly string[]} extra     other inputs of the build
 */
export function hashFiles(root, sources, extra = []) {
  const hash = createHash('sha256').update(extra.join('\0'));
  for (const file of sources.flatMap((source) => filesBelow(path.join(root, source))).sort())
    hash.update(`\0${path.relative(root, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}
