// @ts-check
/**
 * Packs a build of a remote into one file, with which the build can be deployed to any site: a ZIP archive with
 * `build.json` (the signed description of the build with its range of contract versions) and each file that this
 * description names with a digest. Source maps and compressed variants are left out. A deployment compresses the files
 * again.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TextReader, Uint8ArrayReader, Uint8ArrayWriter, ZipReader, ZipWriter, configure } from '@zip.js/zip.js';
import { compressFiles } from './artifact.mjs';
import { SERVER_BUNDLE_PATH, digestOf, digestsOf } from './digests.mjs';
import { requireValidEntry } from './registry-entry.mjs';
import { toSigned } from './registry.mjs';
import { signBuild } from './signing.mjs';

// Web workers are disabled, because Node does not have them.
configure({ useWebWorkers: false });

const DESCRIPTION = 'build.json';
/** Limits of an archive. The largest remote has about 100 files and 2 MB. */
const FILES_MAX = 1_000;
const FILE_MAX_bytes = 20_000_000;
const ARCHIVE_MAX_bytes = 50_000_000;
/** The limit of all files together, without compression. */
const FILES_MAX_bytes = 100_000_000;
/** A name without folders. It does not begin with a dot, so it cannot lead out of the folder. */
const FILE_NAME = /^\w[\w.-]*$/u;

/** @typedef {import('./registry.mjs').Artifact} Artifact */

/**
 * Returns the digest of each file of a build that belongs to its archive, by its path.
 * @param {Artifact} artifact
 * @throws {Error} if a file name leads into another folder, or if there are too many files
 */
function archivedFiles(artifact) {
  const { name, integrity, assets = {} } = artifact;
  const files = Object.keys({ ...integrity, ...assets });
  const wrong = files.find((file) => !FILE_NAME.test(file) || file === DESCRIPTION);
  if (wrong !== undefined) throw new Error(`${name} contains a file with the name ${JSON.stringify(wrong)}`);
  if (files.length > FILES_MAX) throw new Error(`${name} has more than ${FILES_MAX} files`);
  return digestsOf(artifact);
}

/**
 * Packs and signs a build.
 * @param {{ dist: string, artifact: Artifact }} build
 * @param {string | null} privateKey  the key of the deployer
 * @returns {Promise<Uint8Array>} the archive
 * @throws {Error} if a file of the build is missing or changed, or if there is no key
 */
export async function packBuild({ dist, artifact }, privateKey) {
  if (privateKey === null) throw new Error('FRONT_END_PRIVATE_KEY is not set, so the archive cannot be signed');
  const zip = new ZipWriter(new Uint8ArrayWriter());
  const signed = signBuild(toSigned(artifact), privateKey);
  await zip.add(DESCRIPTION, new TextReader(`${JSON.stringify(signed, null, 1)}\n`));
  for (const [file, digest] of archivedFiles(artifact)) {
    const bytes = await readFile(path.join(dist, file));
    if (digestOf(bytes) !== digest) throw new Error(`${artifact.name}: ${file} has changed since the build`);
    await zip.add(file, new Uint8ArrayReader(bytes));
  }
  return zip.close();
}

/**
 * Reads an archive, and stops at the limit of its size.
 * @param {AsyncIterable<Buffer>} source
 * @returns {Promise<Buffer>}
 * @throws {Error} if the archive is too large
 */
export async function readArchive(source) {
  const chunks = [];
  let size_bytes = 0;
  for await (const chunk of source) {
    size_bytes += chunk.length;
    if (size_bytes > ARCHIVE_MAX_bytes) throw new Error(`The archive has more than ${ARCHIVE_MAX_bytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Unpacks an archive into a folder, checks the digest of each file and compresses the files.
 * @param {Uint8Array} bytes
 * @param {string} dir  an empty folder
 * @param {(artifact: Artifact) => void} [check]  rejects a build before its files are read
 * @returns {Promise<Artifact>} the description of the build
 * @throws {Error} if this is no archive of a remote, or if a file is missing or changed
 */
export async function unpackBuild(bytes, dir, check = () => undefined) {
  if (bytes.length > ARCHIVE_MAX_bytes) throw new Error(`The archive has more than ${ARCHIVE_MAX_bytes} bytes`);
  const zip = new ZipReader(new Uint8ArrayReader(bytes));
  try {
    const entries = new Map((await zip.getEntries()).map((entry) => [entry.filename, entry]));
    /** @param {string} file */
    const read = async (file) => {
      const entry = entries.get(file);
      if (!entry || entry.directory) throw new Error(`The archive does not contain ${file}`);
      if (entry.uncompressedSize > FILE_MAX_bytes) throw new Error(`${file} is too large`);
      return entry.getData(new Uint8ArrayWriter());
    };
    /** @type {Artifact} */
    const artifact = JSON.parse(new TextDecoder().decode(await read(DESCRIPTION)));
    requireValidEntry(artifact);
    check(artifact);
    const digests = archivedFiles(artifact);
    const size_bytes = [...digests.keys()].reduce((sum, file) => {
      const entry = entries.get(file);
      return sum + (entry?.uncompressedSize ?? 0);
    }, 0);
    if (size_bytes > FILES_MAX_bytes)
      throw new Error(`The files of the archive have more than ${FILES_MAX_bytes} bytes`);
    await mkdir(path.join(dir, path.dirname(SERVER_BUNDLE_PATH)), { recursive: true });
    for (const [file, digest] of digests) {
      const content = await read(file);
      if (digestOf(content) !== digest) throw new Error(`${file} in the archive does not match its digest`);
      await writeFile(path.join(dir, file), content);
    }
    await compressFiles(dir);
    return artifact;
  } finally {
    await zip.close();
  }
}
