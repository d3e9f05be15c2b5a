// @ts-check
/** Reads and writes the description of a finished build, which is `<package>/dist/build.json`. */
import { createHash } from 'node:crypto';
import { readFile, readdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { digestOf } from './digests.mjs';

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** Minimum size of a file that is compressed. Compression hardly reduces smaller files. */
const COMPRESS_FROM_bytes = 1024;
/**
 * A source map contains the sources, whose comments change nothing in the other files. A compressed file has the
 * content of another one.
 */
const NOT_DESCRIBED = /\.(?:map|br|gz)$/u;
const COMPRESSED_TYPES = /\.(?:js|css|svg|json|webmanifest)$/u;

/**
 * Writes a `.br` and a `.gz` file next to every compressible file in `dir`. The server therefore does not need to
 * compress files for each response.
 * @param {string} dir
 */
export async function compressFiles(dir) {
  const files = (await readdir(dir)).filter((file) => COMPRESSED_TYPES.test(file));
  await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(path.join(dir, file));
      if (bytes.length < COMPRESS_FROM_bytes) return;
      const [br, gz] = await Promise.all([
        brotli(bytes, { params: { [zlib.constants.BROTLI_PARAM_LGBLOCK]: 24 } }),
        gzip(bytes, { level: 9 }),
      ]);
      await Promise.all([writeFile(path.join(dir, `${file}.br`), br), writeFile(path.join(dir, `${file}.gz`), gz)]);
    }),
  );
}

/**
 * Returns the content hash of a build folder, the integrity value of each script and style sheet, and the digest of
 * each other file (`assets`). `sizeBytes` is the total size of the scripts and style sheets.
 * @param {string} dir
 * @param {string} salt  further input of the hash: properties of the build that are not in its files
 */
export async function describeFiles(dir, salt) {
  const files = (await readdir(dir, { withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
  const folderHash = createHash('sha256').update(salt);
  /** @type {Record<string, string>} */
  const integrity = {};
  /** @type {Record<string, string>} */
  const assets = {};
  let sizeBytes = 0;
  for (const file of files) {
    if (NOT_DESCRIBED.test(file)) continue;
    const bytes = await readFile(path.join(dir, file));
    folderHash.update(`\0${file}\0`).update(bytes);
    const digest = digestOf(bytes);
    if (/\.(?:js|css)$/u.test(file)) {
      integrity[file] = digest;
      sizeBytes += bytes.length;
    } else {
      assets[file] = digest;
    }
  }
  return { hash: folderHash.digest('hex').slice(0, 16), integrity, assets, sizeBytes };
}

/**
 * Returns the stored description of a build, or null if there is no build.
 * @param {string} dist
 */
export async function readArtifact(dist) {
  try {
    return JSON.parse(await readFile(path.join(dist, 'build.json'), 'utf8'));
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Returns the folder and the description of a finished build, or null if there is no build. The folder is not the
 * symbolic link `dist`, which a concurrent build may change to other files.
 * @param {string} dist
 * @returns {Promise<{ dist: string, artifact: import('./registry.mjs').Artifact } | null>}
 */
export async function findBuild(dist) {
  const folder = await realpath(dist).catch(() => dist);
  const artifact = await readArtifact(folder);
  return artifact && { dist: folder, artifact };
}

/**
 * @param {string} dist
 * @param {object} artifact
 */
export async function writeArtifact(dist, artifact) {
  await writeFile(path.join(dist, 'build.json'), `${JSON.stringify(artifact, null, 2)}\n`);
}
