// @ts-check
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const IGNORED = new Set(['node_modules', 'dist', 'test', 'tests']);

/** @param {string} folder @returns {Promise<string[]>} */
async function filesIn(folder) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const included = entries
    .filter((entry) => !IGNORED.has(entry.name))
    .map((entry) => ({ full: path.join(folder, entry.name), isFolder: entry.isDirectory() }));
  const nested = await Promise.all(included.map(async ({ full, isFolder }) => (isFolder ? filesIn(full) : [full])));
  return nested.flat();
}

/**
 * Returns a hash of the source files, `extra` and the path of the checkout. The path is included, because built files
 * may contain it. The version of Node is not, because built files are the same with all versions.
 * @param {string} root
 * @param {readonly string[]} sources   paths of files and folders, relative to `root`
 * @param {readonly string[]} extra
 */
export async function hashSources(root, sources, extra = []) {
  const lists = await Promise.all(
    sources.map(async (source) => {
      const full = path.join(root, source);
      const nested = await filesIn(full);
      return nested.length > 0 || !existsSync(full) ? nested : [full];
    }),
  );
  const files = lists.flat().sort();
  const hash = createHash('sha256').update([root, ...extra].join('\0'));
  for (const file of files) {
    const content = await readFile(file).catch(() => null);
    if (content !== null) hash.update(`\0${path.relative(root, file)}\0`).update(content);
  }
  return hash.digest('hex');
}

/** @param {string} file @param {string} hash */
export const isStampCurrent = async (file, hash) => (await readFile(file, 'utf8').catch(() => '')) === hash;

/** @param {string} file @param {string} hash */
export async function writeStamp(file, hash) {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, hash);
}
