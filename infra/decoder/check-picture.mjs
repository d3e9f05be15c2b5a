// @ts-check
import { createReadStream } from 'node:fs';
import { RejectedFile } from './rejected-file.mjs';

/**
 * Maximum number of scans of a JPEG. A photo of a camera has 1 to 10. Encoders for the web write up to about 20. The
 * decoder processes all pixels again for each scan, and a scan needs only a few hundred bytes.
 */
const MAX_SCANS = 100;
/** Maximum number of frames of an animation. Only the first one is shown, but libwebp reads all of them repeatedly. */
const MAX_FRAMES = 2_000;

const CHUNK_bytes = 1024 * 1024;
const FILL = 0xff;
const [END, SCAN] = [0xd9, 0xda];
const WEBP_FRAME = Buffer.from('ANMF');
const PNG_START = Buffer.from('89504e470d0a1a0a', 'hex');
/** Each chunk of a PNG begins with its size and its name, and ends with a checksum. */
const [PNG_CHUNK_HEAD_bytes, PNG_CHECKSUM_bytes] = [8, 4];

const tooManyScans = () => new RejectedFile('FILE_NOT_READABLE', `a JPEG with more than ${MAX_SCANS} scans`);
/** @param {number} frames */
export function requireFewFrames(frames) {
  if (frames > MAX_FRAMES)
    throw new RejectedFile('FILE_NOT_READABLE', `an animation with more than ${MAX_FRAMES} frames`);
}

/**
 * Rejects a JPEG with many scans and a WebP with many frames, before the picture is decoded. These files are small, and
 * decoding them takes minutes. The other formats have no such parts: an interlaced PNG always has seven passes, and the
 * frames of a GIF are counted quickly by its decoder. Also rejects an animated PNG whose picture is not a frame of the
 * animation: browsers never show this picture, but it would be published.
 * @param {string | Uint8Array} input
 * @returns {Promise<void>}
 * @throws {RejectedFile} FILE_NOT_READABLE
 */
export async function checkPicture(input) {
  /** @type {((bytes: Buffer) => boolean) | null} */
  let check = null;
  for await (const bytes of chunksOf(input)) {
    check ??= findCheck(bytes);
    if (!check?.(bytes)) return;
  }
}

/**
 * @param {string | Uint8Array} input
 * @returns {Iterable<Buffer> | AsyncIterable<Buffer>}
 */
function chunksOf(input) {
  if (typeof input === 'string') return createReadStream(input, { highWaterMark: CHUNK_bytes });
  return [Buffer.from(input.buffer, input.byteOffset, input.byteLength)];
}

/**
 * Returns the check for the format of a file with these first bytes. The check returns false if it needs no more bytes.
 * @param {Buffer} start
 */
function findCheck(start) {
  if (start.length >= 2 && start.readUInt16BE(0) === 0xff_d8) return scanCounter();
  if (start.subarray(0, PNG_START.length).equals(PNG_START)) return pngCheck();
  if (start.toString('latin1', 0, 4) === 'RIFF' && start.toString('latin1', 8, 12) === 'WEBP') return frameCounter();
  return null;
}

/**
 * Counts the scans of a JPEG in the way in which libjpeg finds them. A marker is 0xFF, followed by neither 0x00 nor
 * another 0xFF. Between markers, for example in the data of a scan, every byte is skipped. Segments are skipped by
 * their length, because a thumbnail in a segment contains markers too. Bytes behind the end of the picture are not
 * read.
 */
function scanCounter() {
  let scans = 0;
  /** Number of bytes of the current segment that are skipped. */
  let skip_bytes = 0;
  /** @type {'data' | 'marker' | 'length' | 'rest of length'} */
  let expected = 'data';
  let length = 0;
  return (/** @type {Buffer} */ bytes) => {
    for (let at = 0; at < bytes.length; at += 1) {
      if (skip_bytes > 0) {
        const skipped = Math.min(skip_bytes, bytes.length - at);
        skip_bytes -= skipped;
        at += skipped - 1;
        continue;
      }
      if (expected === 'data') {
        at = bytes.indexOf(FILL, at);
        if (at === -1) return true;
        expected = 'marker';
        continue;
      }
      const byte = bytes[at] ?? 0;
      if (expected === 'length') {
        length = byte;
        expected = 'rest of length';
      } else if (expected === 'rest of length') {
        skip_bytes = Math.max(0, length * 256 + byte - 2);
        expected = 'data';
      } else if (byte !== FILL) {
        if (byte === END) return false;
        if (byte === SCAN && (scans += 1) > MAX_SCANS) throw tooManyScans();
        expected = hasLength(byte) ? 'length' : 'data';
      }
    }
    return true;
  };
}

/**
 * Checks whether a length follows a marker. None follows restart markers and the start of the picture. libjpeg skips
 * only the marker itself if it is unknown, i.e. below 0xC0.
 * @param {number} marker
 */
const hasLength = (marker) => marker >= 0xc0 && !(marker >= 0xd0 && marker <= 0xd8);

/**
 * Reads the chunks of a PNG up to its picture. The chunk `acTL` declares an animation, and `fcTL` that the picture is
 * its first frame.
 */
function pngCheck() {
  let isAnimated = false;
  let skip_bytes = PNG_START.length;
  let head = Buffer.alloc(0);
  return (/** @type {Buffer} */ bytes) => {
    for (let at = 0; at < bytes.length; ) {
      const skipped = Math.min(skip_bytes, bytes.length - at);
      skip_bytes -= skipped;
      at += skipped;
      const part = bytes.subarray(at, at + PNG_CHUNK_HEAD_bytes - head.length);
      head = Buffer.concat([head, part]);
      at += part.length;
      if (head.length < PNG_CHUNK_HEAD_bytes) continue;
      const name = head.toString('latin1', 4);
      if (name === 'fcTL') return false;
      if (name === 'IDAT' && isAnimated)
        throw new RejectedFile('FILE_NOT_READABLE', 'an animation whose picture is not its first frame');
      if (name === 'IDAT' || name === 'IEND') return false;
      isAnimated ||= name === 'acTL';
      skip_bytes = head.readUInt32BE(0) + PNG_CHECKSUM_bytes;
      head = Buffer.alloc(0);
    }
    return true;
  };
}

/** Counts the frames of an animated WebP. Pictures practically never contain the name of this chunk otherwise. */
function frameCounter() {
  let frames = 0;
  let tail = Buffer.alloc(0);
  return (/** @type {Buffer} */ bytes) => {
    const searched = Buffer.concat([tail, bytes]);
    for (let at = searched.indexOf(WEBP_FRAME); at !== -1; at = searched.indexOf(WEBP_FRAME, at + WEBP_FRAME.length))
      requireFewFrames((frames += 1));
    tail = searched.subarray(Math.max(0, searched.length - WEBP_FRAME.length + 1));
    return true;
  };
}
