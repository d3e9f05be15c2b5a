// @ts-check
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ROOT, SHELL } from './packages.mjs';

/**
 * @param {string} location file or folder, relative to the repository
 * @returns {Generator<string, void, undefined>}
 */
function* filesBelow(location) {
  const absolute = path.join(ROOT, location);
  let entries;
  try {
    entries = readdirSync(absolute, { recursive: true, withFileTypes: true });
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOTDIR') {
      yield absolute;
      return;
    }
    if (code === 'ENOENT') return;
    throw error;
  }
  for (const entry of entries) if (entry.isFile()) yield path.join(entry.parentPath, entry.name);
}

/**
 * Returns a hash of all inputs of a browser package. If the hash has not changed, the build skips the package.
 * @param {string} name
 */
export function computeInputHash(name) {
  const hash = createHash('sha256');
  for (const location of [
    `${name}/src`,
    `${name}/public`,
    `${name}/package.json`,
    'ui/src',
    'domain/src',
    'shell/build',
    ...(name === SHELL ? ['shell/server/rendering'] : []),
    'package-lock.json',
  ]) {
    for (const file of [...filesBelow(location)].sort()) {
      hash.update(path.relative(ROOT, file)).update('\0').update(readFileSync(file)).update('\0');
    }
  }
  return hash.digest('hex');
}
