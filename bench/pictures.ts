import { mkdtemp, rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  HASH_WORDS,
  MAX_HASH_BITS_APART,
  storedKeysOf,
  toHashWords,
  toSearchHashes,
  type HashWords,
} from '@alpenglow/domain';
import { TAKEN_DOWN_PICTURES, createPictureCopies } from '@alpenglow/infra';
import sharp from 'sharp';
import { grayOf } from '../infra/decoder/pictures.mjs';
import { hashesOfPicture, pdqOf } from '../domain/src/contracts/pdq.mjs';
import { createPictureIndex } from '../infra/src/adapters/known-images/picture-index.ts';
import { EDITS, photoOf, type EditName } from '../tests/support/picture-corpus.ts';
import { hashOfSmallScene, toHexDigits } from '../tests/support/picture-hashes.ts';
import { randomNumbers } from '../tests/support/random.ts';
import { withPool } from './databases.ts';
import { percentile } from './statistics.ts';
import { withTemporaryPostgres } from './temporary-postgres.ts';

/** The number of photos that are edited, and of other photos that are compared with the list. */
const PHOTOS = 300;
const OTHER_PHOTOS = 2_000;
const LISTED = 1_000_000;
const SEARCHES = 1_000;
const INSERTED_AT_ONCE = 10_000;

/** The share of recognized copies for each edit, and of falsely recognized photos. */
export interface Recognition {
  readonly candidate: string;
  readonly recognized: Readonly<Record<EditName, number>>;
  /** The share of other photos that match one of `listed` listed pictures. */
  readonly falseMatches: number;
  readonly listed: number;
}

export interface PictureFigures {
  readonly recognitions: readonly Recognition[];
  readonly hash_ms: number;
  readonly searchP50_ms: number;
  readonly searchP99_ms: number;
  readonly indexBytesPerHash: number;
  readonly postgresP50_ms: number;
  readonly postgresP99_ms: number;
}

/** A way to recognize copies. A picture matches if one of its hashes has at most `maxBits` other bits. */
interface Candidate {
  readonly name: string;
  readonly maxBits: number;
  /** Returns the hashes of a picture as hexadecimal digits, first the one that a list contains. */
  hashesOf(picture: Buffer): Promise<readonly string[]>;
}

/** The difference hash that the product used before: 9 × 8 fields, one bit for each pair of neighbors. */
async function differenceHash(picture: Buffer): Promise<string> {
  const data = await sharp(picture).resize(9, 8, { fit: 'fill' }).greyscale().raw().toBuffer();
  let bits = 0n;
  for (let row = 0; row < 8; row += 1)
    for (let column = 0; column < 8; column += 1)
      bits = (bits << 1n) | ((data[row * 9 + column] ?? 0) < (data[row * 9 + column + 1] ?? 0) ? 1n : 0n);
  return bits.toString(16).padStart(16, '0');
}

/** Returns the PDQ hashes of the nine overlapping parts of a picture that have two thirds of its width and height. */
async function hashesOfParts(picture: Buffer): Promise<readonly string[]> {
  const { width, height } = await sharp(picture).metadata();
  const [partWidth, partHeight] = [Math.floor((width * 2) / 3), Math.floor((height * 2) / 3)];
  const places = [0, 0.5, 1];
  return Promise.all(
    places.flatMap((across) =>
      places.map(async (down) => {
        const left = Math.floor((width - partWidth) * across);
        const top = Math.floor((height - partHeight) * down);
        const part = sharp(picture).extract({ left, top, width: partWidth, height: partHeight });
        return pdqOf(await grayOf(part)).hash;
      }),
    ),
  );
}

const CANDIDATES: readonly Candidate[] = [
  { name: 'difference hash', maxBits: 3, hashesOf: async (picture) => [await differenceHash(picture)] },
  { name: 'PDQ', maxBits: 31, hashesOf: async (picture) => [pdqOf(await grayOf(sharp(picture))).hash] },
  { name: 'PDQ of nine parts', maxBits: 31, hashesOf: hashesOfParts },
];

/** Installs `sharp-phash` in a temporary folder, and returns it. Returns null if it cannot be installed. */
async function installSharpPhash(printProgress: (text: string) => void): Promise<{
  candidate: Candidate;
  remove: () => Promise<void>;
} | null> {
  const folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-phash-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', 'sharp-phash@2.2.0', 'sharp@0.35.5'];
    await promisify(execFile)('npm', args, { cwd: folder });
    const phash = createRequire(path.join(folder, 'x.js'))('sharp-phash') as (picture: Buffer) => Promise<string>;
    const hashesOf = async (picture: Buffer) => [
      BigInt(`0b${await phash(picture)}`)
        .toString(16)
        .padStart(16, '0'),
    ];
    return { candidate: { name: 'sharp-phash', maxBits: 4, hashesOf }, remove };
  } catch (error) {
    printProgress(`sharp-phash is left out: ${error instanceof Error ? error.message.slice(0, 200) : 'unknown'}`);
    await remove();
    return null;
  }
}

function bitsApart(one: string, other: string): number {
  let bits = 0;
  for (let rest = BigInt(`0x${one}`) ^ BigInt(`0x${other}`); rest > 0n; rest >>= 1n) bits += Number(rest & 1n);
  return bits;
}

/**
 * Compares the perceptual hash of the product with others on a generated corpus (decision 0118): the share of copies
 * that are recognized after edits, and the share of other photos that match. The product is compared with a list of a
 * million hashes, the others with the photos of the corpus.
 */
export async function benchPictures(printProgress: (text: string) => void): Promise<PictureFigures> {
  printProgress(`Painting ${PHOTOS} photos`);
  const photos: Buffer[] = [];
  for (let seed = 1; seed <= PHOTOS; seed += 1) photos.push(await photoOf(seed));
  const installed = await installSharpPhash(printProgress);
  const recognitions: Recognition[] = [];
  for (const candidate of [...CANDIDATES, ...(installed ? [installed.candidate] : [])]) {
    printProgress(`Editing and recognizing the photos: ${candidate.name}`);
    recognitions.push(await recognizeWith(candidate, photos));
  }
  await installed?.remove();
  return measureProduct(photos, recognitions, printProgress);
}

async function recognizeWith({ name, maxBits, hashesOf }: Candidate, photos: readonly Buffer[]): Promise<Recognition> {
  const listed = await Promise.all(photos.map(hashesOf));
  const matches = (hashes: readonly string[], known: readonly string[] | undefined) =>
    hashes.some((hash) => known?.some((other) => bitsApart(hash, other) <= maxBits));
  const recognized: [string, number][] = [];
  for (const [edit, apply] of Object.entries(EDITS)) {
    const random = randomNumbers(11);
    let count = 0;
    for (const [index, photo] of photos.entries())
      if (matches(await hashesOf(await apply(photo, random)), listed[index])) count += 1;
    recognized.push([edit, count / photos.length]);
  }
  const falselyMatched = listed.filter((hashes, index) =>
    listed.some((other, known) => known !== index && matches(hashes, other)),
  );
  return {
    candidate: `${name}, ${maxBits} bits`,
    recognized: Object.fromEntries(recognized) as Recognition['recognized'],
    falseMatches: falselyMatched.length / photos.length,
    listed: photos.length,
  };
}

const searchedOf = async (picture: Buffer) => toSearchHashes(hashesOfPicture(await grayOf(sharp(picture))));

async function measureProduct(
  photos: readonly Buffer[],
  recognitions: readonly Recognition[],
  printProgress: (text: string) => void,
): Promise<PictureFigures> {
  printProgress(`Painting a list of ${LISTED} pictures`);
  const words = new Uint32Array(LISTED * HASH_WORDS);
  const others = LISTED - photos.length;
  for (let seed = 0; seed < others; seed += 1)
    words.set(toHashWords(hashOfSmallScene(1_000_000 + seed)), seed * HASH_WORDS);
  for (const [index, photo] of photos.entries())
    words.set((await searchedOf(photo))[0] ?? [], (others + index) * HASH_WORDS);
  const memoryBefore = process.memoryUsage().arrayBuffers;
  const list = createPictureIndex(words);
  const indexBytesPerHash = (process.memoryUsage().arrayBuffers - memoryBefore + words.byteLength) / LISTED;

  printProgress('Searching the list for edited photos and for others');
  const recognized: [string, number][] = [];
  for (const [edit, apply] of Object.entries(EDITS)) {
    const random = randomNumbers(11);
    let count = 0;
    for (const [index, photo] of photos.entries())
      if (list.find(await searchedOf(await apply(photo, random))) === others + index) count += 1;
    recognized.push([edit, count / photos.length]);
  }
  let falseMatches = 0;
  const searches: (readonly HashWords[])[] = [];
  for (let seed = 0; seed < OTHER_PHOTOS; seed += 1) {
    const searched = await searchedOf(await photoOf(500_000 + seed));
    if (list.find(searched) !== null) falseMatches += 1;
    else if (searches.length < SEARCHES) searches.push(searched);
  }
  const durations_ms = searches.map((searched) => {
    const before = performance.now();
    list.find(searched);
    return performance.now() - before;
  });
  const product = {
    candidate: `PDQ of crops and frames, also mirrored, ${MAX_HASH_BITS_APART} bits`,
    recognized: Object.fromEntries(recognized) as Recognition['recognized'],
    falseMatches: falseMatches / OTHER_PHOTOS,
    listed: LISTED,
  };
  return {
    recognitions: [...recognitions, product],
    hash_ms: await measureHashing(photos),
    searchP50_ms: percentile(durations_ms, 50),
    searchP99_ms: percentile(durations_ms, 99),
    indexBytesPerHash,
    ...(await searchInPostgres(words, searches, printProgress)),
  };
}

/** Returns the processor time in ms of the hashes of a decoded photo with the size of its largest variant. */
async function measureHashing(photos: readonly Buffer[]): Promise<number> {
  const decoded = await Promise.all(
    photos.slice(0, 50).map((photo) => sharp(photo).resize(1_600).raw().toBuffer({ resolveWithObject: true })),
  );
  const before = process.cpuUsage();
  for (const { data, info } of decoded) {
    const { width, height, channels } = info;
    hashesOfPicture(await grayOf(sharp(data, { raw: { width, height, channels } })));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / decoded.length;
}

/** Measures searches in the read model of pictures that were taken down, with the same list. */
async function searchInPostgres(
  words: Uint32Array,
  searches: readonly (readonly HashWords[])[],
  printProgress: (text: string) => void,
): Promise<{ postgresP50_ms: number; postgresP99_ms: number }> {
  printProgress('Writing the list to Postgres, and searching it');
  return withTemporaryPostgres({}, (serverUrl) =>
    withPool(serverUrl, async (pool) => {
      await pool.query('create schema rm');
      await pool.query(
        `create table ${TAKEN_DOWN_PICTURES.table} (
           picture_id text primary key, hash text not null, hash_keys jsonb not null)`,
      );
      for (let from = 0; from < LISTED; from += INSERTED_AT_ONCE) {
        const hashes = Array.from({ length: INSERTED_AT_ONCE }, (_, index) => hexDigitsAt(words, from + index));
        await pool.query(
          `insert into ${TAKEN_DOWN_PICTURES.table}
           select $1::int + number, hash, keys::jsonb
             from unnest($2::text[], $3::text[]) with ordinality as listed (hash, keys, number)`,
          [from, hashes, hashes.map((hash) => JSON.stringify(storedKeysOf(hash)))],
        );
      }
      await pool.query(`create index on ${TAKEN_DOWN_PICTURES.table} using gin (hash_keys jsonb_ops)`);
      await pool.query(`vacuum analyze ${TAKEN_DOWN_PICTURES.table}`);
      const copies = createPictureCopies(pool);
      const durations_ms: number[] = [];
      for (const searched of searches) {
        const before = performance.now();
        await copies.isTakenDown(searched, []);
        durations_ms.push(performance.now() - before);
      }
      return { postgresP50_ms: percentile(durations_ms, 50), postgresP99_ms: percentile(durations_ms, 99) };
    }),
  );
}

/** Returns the hash at a position of a list as hexadecimal digits. */
const hexDigitsAt = (words: Uint32Array, position: number): string =>
  toHexDigits(words.subarray(position * HASH_WORDS, (position + 1) * HASH_WORDS));
