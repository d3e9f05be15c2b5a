// @ts-check
import { open } from 'node:fs/promises';
import { RejectedFile } from './rejected-file.mjs';

/** Maximum number of boxes in a file. A video of 20 seconds contains far fewer. */
const MAX_BOXES = 10_000;
/**
 * Maximum number of entries of all tables of one kind. The library creates an object for each entry, even if a few
 * bytes declare millions of entries. A video of 20 seconds has about 2,000.
 */
const MAX_ENTRIES = 200_000;
/**
 * Maximum number of samples of all tables of durations. It is higher, because uncompressed sound has a sample for each
 * sound value: 20 seconds at 192 kHz.
 */
const MAX_TIMED_SAMPLES = 5_000_000;
/** An entry of an index of fragments counts more, because the library removes repeated ones in quadratic time. */
const FRAGMENT_WEIGHT = 20;
/** The boxes that contain tables. The library reads no tables from other boxes at the top level. */
const WITH_TABLES = new Set(['moov', 'moof', 'mfra']);

/**
 * Checks that an MP4 or MOV file consists of complete boxes, and that its tables do not declare too many entries. A
 * truncated file does not consist of complete boxes, nor does a file with another file behind it. Returns the content
 * of the first box `moov`, which describes the tracks. Further ones are ignored, as players do.
 * @param {string} file
 * @returns {Promise<Buffer>}
 * @throws {RejectedFile} VIDEO_DAMAGED, or VIDEO_TOO_LONG if a table declares too many entries
 */
export async function checkBoxes(file) {
  const handle = await open(file, 'r');
  try {
    const { size: end } = await handle.stat();
    const tables = createTableCheck();
    const checkTables = async (/** @type {number} */ at, /** @type {number} */ size) => {
      const bytes = Buffer.alloc(size);
      await handle.read(bytes, 0, size, at);
      tables.check(bytes);
      return bytes;
    };
    /** @type {Buffer | undefined} */
    let movie;
    await checkLastBox(handle, end, checkTables);
    let boxes = 0;
    for (let at = 0; at < end; boxes += 1) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, at);
      // QuickTime marks the end of a list of boxes with four zero bytes.
      if (end - at === 4 && buffer.readUInt32BE(0) === 0) break;
      const shortSize = buffer.readUInt32BE(0);
      const headerSize = shortSize === 1 ? 16 : 8;
      const size = shortSize === 0 ? end - at : shortSize === 1 ? Number(buffer.readBigUInt64BE(8)) : shortSize;
      if (boxes >= MAX_BOXES || bytesRead < headerSize || size < headerSize || at + size > end)
        throw new RejectedFile('VIDEO_DAMAGED', 'a file whose boxes do not fit into each other');
      const type = buffer.toString('latin1', 4, 8);
      if (WITH_TABLES.has(type)) {
        const bytes = await checkTables(at, size);
        if (type === 'moov') movie ??= bytes.subarray(headerSize);
      }
      at += size;
    }
    if (!movie) throw new RejectedFile('VIDEO_DAMAGED', 'a file that describes no tracks');
    return movie;
  } finally {
    await handle.close();
  }
}

/**
 * Checks the box whose distance from the end is the last number of the file. The library reads it as an index of
 * fragments, even if it is inside of another box.
 * @param {import('node:fs/promises').FileHandle} handle
 * @param {number} end
 * @param {(at: number, size: number) => Promise<unknown>} check
 */
async function checkLastBox(handle, end, check) {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, Math.max(0, end - 4));
  const size = buffer.readUInt32BE(0);
  if (bytesRead < 4 || size > end || size < 16) return;
  const { buffer: head } = await handle.read(Buffer.alloc(8), 0, 8, end - size);
  if (head.toString('latin1', 4, 8) === 'mfra') await check(end - size, size);
}

/**
 * Reads four bytes of a table. The position is in bytes after its type.
 * @typedef {(position: number) => number} Read
 */
/**
 * The tables, with a function that returns the number of declared entries. `rows` is the number of rows that the table
 * has room for, and which contain the numbers of samples.
 * @type {Readonly<Record<string, (read: Read, rows: (first: number, width: number) => Iterable<number>) => number>>}
 */
const TABLES = {
  stts: (read) => read(4),
  ctts: (read, rows) => read(4) + sum(rows(8, 8), read),
  stsc: (read, rows) => read(4) + rises(rows(8, 12), read),
  stsz: (read) => (read(4) === 0 ? read(8) : 1),
  stz2: (read) => read(8),
  stss: (read) => read(4),
  stco: (read) => read(4),
  co64: (read) => read(4),
  elst: (read) => read(4),
  trun: (read) => read(4),
  tfra: (read) => read(12) * FRAGMENT_WEIGHT,
  senc: (read) => read(4),
  saiz: (read) => Math.max(read(5), (read(0) & 1) === 1 ? read(13) : 0),
};

/**
 * @param {Iterable<number>} positions
 * @param {Read} read
 */
function sum(positions, read) {
  let total = 0;
  for (const position of positions) total += read(position);
  return total;
}

/**
 * Returns the sum of all increases of the first chunk of a row. The library goes through all chunks between two rows.
 * @param {Iterable<number>} positions
 * @param {Read} read
 */
function rises(positions, read) {
  let [total, before] = [0, 0];
  for (const position of positions) {
    const chunk = read(position);
    total += Math.max(0, chunk - before);
    before = chunk;
  }
  return total;
}

/**
 * Returns an object that adds up the entries of all tables of a file. Tables are found by their type anywhere in a box,
 * because the library accepts them in places where players do not.
 */
function createTableCheck() {
  /** @type {Record<string, number>} */
  const totals = {};
  let timedSamples = 0;
  return {
    /** @param {Buffer} bytes */
    check(bytes) {
      for (const [type, countEntries] of Object.entries(TABLES)) {
        for (let at = bytes.indexOf(type, 4, 'latin1'); at !== -1; at = bytes.indexOf(type, at + 4, 'latin1')) {
          // A box with the size 1 has its size behind the type.
          const start = at + (bytes.readUInt32BE(at - 4) === 1 ? 12 : 4);
          const read = (/** @type {number} */ position) =>
            start + position + 4 <= bytes.length ? bytes.readUInt32BE(start + position) : 0;
          const rows = function* (/** @type {number} */ first, /** @type {number} */ width) {
            const count = Math.min(read(4), MAX_ENTRIES, Math.ceil((bytes.length - start - first) / width));
            for (let row = 0; row < count; row += 1) yield first + row * width;
          };
          totals[type] = (totals[type] ?? 0) + countEntries(read, rows);
          if (type === 'stts') timedSamples += sum(rows(8, 8), read);
          if ((totals[type] ?? 0) > MAX_ENTRIES || timedSamples > MAX_TIMED_SAMPLES)
            throw new RejectedFile('VIDEO_TOO_LONG', `more entries in ${type} than a short video has`);
        }
      }
    },
  };
}
