// @ts-check
/**
 * Reads which part of each track of an MP4 or MOV players show. Phones trim a video without encoding it again: an edit
 * list hides the beginning or the end, which remain in the file (decision 0096).
 */
import { RejectedFile } from './rejected-file.mjs';

/**
 * The part of a track that players show, in seconds of the presentation. `end_s` is infinite if the part lasts until
 * the end of the track.
 * @typedef {{ start_s: number, end_s: number }} ShownPart
 */

/** The part of a track without an edit list: everything. */
export const EVERYTHING = Object.freeze({ start_s: Number.NEGATIVE_INFINITY, end_s: Number.POSITIVE_INFINITY });

const HEADER_bytes = 8;
const LONG_HEADER_bytes = 16;
/** Maximum number of boxes in a box. The header of a video contains far fewer, and each one needs memory. */
const MAX_BOXES = 10_000;
const NORMAL_SPEED = 0x10000;
/** The time at which a pause starts in the track. */
const PAUSE = -1;

const damaged = (/** @type {string} */ what) => new RejectedFile('VIDEO_DAMAGED', `damaged ${what}`);
const notCuttable = (/** @type {string} */ why) => new RejectedFile('VIDEO_TRIMMED', why);

/** @typedef {{ type: string, content: Buffer }} Box */

/**
 * Returns the boxes of a box. A file may end with four zero bytes instead of a box.
 * @param {Buffer} bytes
 * @returns {Box[]}
 */
function boxesIn(bytes) {
  /** @type {Box[]} */
  const boxes = [];
  for (let at = 0; at + HEADER_bytes <= bytes.length; ) {
    const shortSize = bytes.readUInt32BE(at);
    const isLong = shortSize === 1 && at + LONG_HEADER_bytes <= bytes.length;
    const header_bytes = isLong ? LONG_HEADER_bytes : HEADER_bytes;
    const size =
      shortSize === 0 ? bytes.length - at : isLong ? Number(bytes.readBigUInt64BE(at + HEADER_bytes)) : shortSize;
    if (boxes.length >= MAX_BOXES || size < header_bytes || at + size > bytes.length) throw damaged('header');
    boxes.push({
      type: bytes.toString('latin1', at + 4, at + 8),
      content: bytes.subarray(at + header_bytes, at + size),
    });
    at += size;
  }
  return boxes;
}

/**
 * @param {readonly Box[]} boxes
 * @param {string} type
 */
function contentOf(boxes, type) {
  const [first, second] = boxes.filter((box) => box.type === type);
  if (second) throw damaged(`header with two boxes ${type}`);
  return first?.content;
}

/**
 * Returns the shown part of each of these tracks that has an edit list, by the id of the track. Other tracks are not
 * published, so their edit lists do not matter: cameras add tracks with measurements, whose lists have many parts.
 * @param {Buffer} movie  the content of the box `moov`
 * @param {ReadonlySet<number>} trackIds
 * @returns {ReadonlyMap<number, ShownPart>}
 * @throws {RejectedFile} VIDEO_DAMAGED, or VIDEO_TRIMMED if the shown part is not one part at normal speed
 */
export function readShownParts(movie, trackIds) {
  const boxes = boxesIn(movie);
  const timescale = timescaleOf(contentOf(boxes, 'mvhd'));
  /** @type {Map<number, ShownPart>} */
  const parts = new Map();
  let lists = 0;
  for (const { type, content } of boxes) {
    if (type !== 'trak') continue;
    const track = boxesIn(content);
    const list = contentOf(boxesIn(contentOf(track, 'edts') ?? Buffer.alloc(0)), 'elst');
    if (!list) continue;
    lists += 1;
    const id = trackIdOf(contentOf(track, 'tkhd'));
    if (!trackIds.has(id)) continue;
    if (parts.has(id)) throw damaged('header with two tracks of the same id');
    const media = contentOf(boxesIn(contentOf(track, 'mdia') ?? Buffer.alloc(0)), 'mdhd');
    parts.set(id, shownPart(readEdits(list), timescale, timescaleOf(media)));
  }
  // The library that reads the packets also accepts edit lists in places where players do not.
  if (lists !== countLists(movie)) throw damaged('header with a misplaced edit list');
  return parts;
}

/**
 * @param {Buffer | undefined} header  a header of a movie or of a track's media, which contains its ticks per second
 */
function timescaleOf(header) {
  const at = header?.[0] === 1 ? 20 : 12;
  const timescale = header && header.length >= at + 4 ? header.readUInt32BE(at) : 0;
  if (timescale === 0) throw damaged('time scale');
  return timescale;
}

/** @param {Buffer | undefined} header */
function trackIdOf(header) {
  const at = header?.[0] === 1 ? 20 : 12;
  if (!header || header.length < at + 4) throw damaged('track header');
  return header.readUInt32BE(at);
}

/**
 * Counts the edit lists anywhere in a movie. Bytes that are called `elst` but have no fitting size are no box.
 * @param {Buffer} movie
 */
function countLists(movie) {
  let count = 0;
  for (let at = movie.indexOf('elst', 4, 'latin1'); at !== -1; at = movie.indexOf('elst', at + 4, 'latin1')) {
    const size = movie.readUInt32BE(at - 4);
    if (size <= 1 || (size >= HEADER_bytes && at - 4 + size <= movie.length)) count += 1;
  }
  return count;
}

/**
 * An entry of an edit list. `duration` is in ticks of the movie, `from` in ticks of the track.
 * @typedef {{ duration: number, from: number, speed: number }} Edit
 */

/**
 * @param {Buffer} list
 * @returns {readonly Edit[]}
 */
function readEdits(list) {
  const isLong = list[0] === 1;
  const width = isLong ? 20 : 12;
  const count = list.length >= 8 ? list.readUInt32BE(4) : 0;
  if (list.length < 8 + count * width) throw damaged('edit list');
  return Array.from({ length: count }, (_, index) => {
    const at = 8 + index * width;
    return isLong
      ? {
          duration: Number(list.readBigUInt64BE(at)),
          from: Number(list.readBigInt64BE(at + 8)),
          speed: list.readInt32BE(at + 16),
        }
      : { duration: list.readUInt32BE(at), from: list.readInt32BE(at + 4), speed: list.readInt32BE(at + 8) };
  });
}

/**
 * @param {readonly Edit[]} edits
 * @param {number} movieScale  ticks per second of the movie
 * @param {number} trackScale  ticks per second of the track
 * @returns {ShownPart}
 */
function shownPart(edits, movieScale, trackScale) {
  if (edits.length === 0) return EVERYTHING;
  const first = edits.findIndex(({ from }) => from !== PAUSE);
  if (first === -1) throw notCuttable('an edit list that shows nothing');
  const [pauses, shown] = [edits.slice(0, first), edits.slice(first)];
  // A track that is shown in several parts would need an encoder, unless each part continues the one before.
  for (const [index, { from, speed, duration }] of shown.entries()) {
    if (speed !== NORMAL_SPEED) throw notCuttable('an edit list with another speed');
    if (from < 0) throw damaged('edit list');
    const before = index === 0 ? undefined : shown[index - 1];
    if (
      before &&
      Math.abs(before.from / trackScale + before.duration / movieScale - from / trackScale) > 1 / movieScale
    )
      throw notCuttable('an edit list with several parts');
    // A part without a duration lasts until the end of the track.
    if (duration === 0 && index < shown.length - 1) throw notCuttable('an edit list with several parts');
  }
  // The library rounds the pauses to ticks of the track, too.
  const pause = pauses.reduce((sum, { duration }) => sum + duration, 0) / movieScale;
  const start_s = Math.round(pause * trackScale) / trackScale;
  const isOpen = shown.at(-1)?.duration === 0;
  const duration_s = shown.reduce((sum, { duration }) => sum + duration, 0) / movieScale;
  return { start_s, end_s: isOpen ? Number.POSITIVE_INFINITY : start_s + duration_s };
}
