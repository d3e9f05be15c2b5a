// @ts-check
/**
 * Writes the pictures and the sound of an AVI to a new AVI. The headers are written again from their numbers. Nothing
 * else of the original is written, so no `INFO`, `JUNK` or unknown chunk remains.
 */
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { cleanAvcWithStartCodes, cleanJpeg, cleanMpeg4, requireMp3Frames } from './codecs.mjs';
import { RejectedFile } from './rejected-file.mjs';

const MAX_CHUNKS = 200_000;
const MAX_DEPTH = 4;
const MAX_HEADER_bytes = 64 * 1024;
const MAX_CHUNK_bytes = 32 * 1024 * 1024;

/**
 * The functions that clean a picture, by its codec. The codes of codecs are in upper case.
 * @type {Readonly<Record<string, (packet: Uint8Array) => Uint8Array>>}
 */
const PICTURES = {
  MJPG: cleanJpeg,
  ...Object.fromEntries(['H264', 'X264', 'AVC1'].map((code) => [code, cleanAvcWithStartCodes])),
  ...Object.fromEntries(['XVID', 'DIVX', 'DX50', 'FMP4', 'MP4V'].map((code) => [code, cleanMpeg4])),
};
const PCM = 1;
const MP3 = 0x55;
const MAX_SIDE_px = 16_384;
/** Maximum of the two numbers whose ratio is the number of pictures or sounds in a second. */
const MAX_RATE = 10_000_000;
const MAX_FREQUENCY_hz = 192_000;
const MAX_MP3_bytes = 40_000;
const MP3_FRAME_samples = 1_152;

const damaged = (/** @type {string} */ what) => new RejectedFile('VIDEO_DAMAGED', `damaged AVI: ${what}`);

/** @typedef {{ type: string, at: number, size: number }} Chunk */

/**
 * @param {string} from  the path of the original
 * @param {string} to    the path of the new file
 * @param {{ max_s: number, onPicture?: (data: Uint8Array) => void }} options  `onPicture` receives each new picture
 * @throws {RejectedFile} NOT_A_VIDEO, VIDEO_DAMAGED, VIDEO_NOT_SUPPORTED, or VIDEO_TOO_LONG if the video has more than
 *   `max_s` seconds
 */
export function remuxAvi(from, to, { max_s, onPicture }) {
  const input = openSync(from, 'r');
  try {
    const content = readAvi(input);
    const streams = chooseStreams(content.streams);
    const chunks = content.chunks.filter(({ type }) => streams.some(({ number }) => isChunkOf(type, number)));
    const [picture] = streams;
    const pictureCount = chunks.filter(({ type }) => isChunkOf(type, picture.number)).length;
    if (pictureCount === 0) throw damaged('no pictures');
    if (pictureCount * picture.second_s > max_s) throw new RejectedFile('VIDEO_TOO_LONG', 'too many pictures');
    const output = openSync(to, 'w');
    try {
      writeAvi({ input, output, onPicture }, streams, chunks);
    } finally {
      closeSync(output);
    }
  } finally {
    closeSync(input);
  }
}

/** @param {number} file */
function readAvi(file) {
  const { size } = fstatSync(file);
  /** @type {{ header: Buffer, format: Buffer }[]} */
  const streams = [];
  /** @type {Chunk[]} */
  const chunks = [];
  let left = MAX_CHUNKS;

  const read = (/** @type {Chunk} */ chunk) => readChunk(file, chunk, MAX_HEADER_bytes);
  const walk = (/** @type {number} */ start, /** @type {number} */ end, /** @type {number} */ depth, list = '') => {
    if (depth > MAX_DEPTH) throw damaged('too many lists');
    for (let at = start; at + 8 <= end; ) {
      if ((left -= 1) < 0) throw damaged('too many chunks');
      const head = readAt(file, at, 8);
      const chunk = { type: head.toString('latin1', 0, 4), at: at + 8, size: head.readUInt32LE(4) };
      const next = chunk.at + chunk.size + (chunk.size % 2);
      if (chunk.at + chunk.size > end) throw damaged('a chunk that does not fit');
      if (chunk.type === 'RIFF' || chunk.type === 'LIST') {
        const name = readAt(file, chunk.at, 4).toString('latin1');
        if (depth === 0 ? chunk.type !== 'RIFF' || !/^AVI[ X]$/u.test(name) : chunk.type !== 'LIST')
          throw damaged('unexpected list');
        walk(chunk.at + 4, chunk.at + chunk.size, depth + 1, name);
      } else if (depth === 0) throw damaged('a chunk outside of the file');
      else if (list === 'strl' && chunk.type === 'strh') streams.push({ header: read(chunk), format: Buffer.alloc(0) });
      else if (list === 'strl' && chunk.type === 'strf') {
        const stream = streams.at(-1);
        if (stream) stream.format = read(chunk);
      } else if ((list === 'movi' || list === 'rec ') && /^\d\d(?:d[bc]|wb)$/u.test(chunk.type)) chunks.push(chunk);
      at = next;
    }
  };
  walk(0, size, 0);
  return { streams, chunks };
}

/**
 * @param {number} file
 * @param {number} at
 * @param {number} size
 */
function readAt(file, at, size) {
  const bytes = Buffer.alloc(size);
  if (readSync(file, bytes, 0, size, at) !== size) throw damaged('truncated');
  return bytes;
}

/**
 * @param {number} file
 * @param {Chunk} chunk
 * @param {number} max_bytes
 */
function readChunk(file, { at, size }, max_bytes) {
  if (size > max_bytes) throw damaged('a chunk that is too large');
  return readAt(file, at, size);
}

/**
 * @param {string} type
 * @param {number} number
 */
const isChunkOf = (type, number) => Number(type.slice(0, 2)) === number;

/**
 * A stream to write. `second_s` is the duration of one picture, and `length` the number of pictures or sound
 * samples that are written.
 * @typedef {{
 *   number: number, header: Buffer, format: Buffer, second_s: number, length: number,
 *   clean: (packet: Uint8Array) => Uint8Array,
 * }} Stream
 */

/**
 * Returns the first picture stream and the first sound stream with an accepted codec.
 * @param {readonly { header: Buffer, format: Buffer }[]} all
 * @returns {[Stream, ...Stream[]]}
 */
function chooseStreams(all) {
  const typed = all.map(({ header, format }, number) => {
    if (header.length < 48) throw damaged('stream header');
    return { number, header, format, type: header.toString('latin1', 0, 4) };
  });
  const pictures = typed.filter(({ type }) => type === 'vids');
  const sounds = typed.filter(({ type }) => type === 'auds');
  if (pictures.length === 0) throw new RejectedFile('NOT_A_VIDEO', 'no picture stream');
  const picture = pictures.map(pictureStream).find((stream) => stream !== null);
  const sound = sounds.map(soundStream).find((stream) => stream !== null);
  if (!picture || (sounds.length > 0 && !sound)) throw new RejectedFile('VIDEO_NOT_SUPPORTED', 'unknown codec');
  return sound ? [picture, sound] : [picture];
}

/**
 * @param {{ number: number, header: Buffer, format: Buffer }} stream
 * @returns {Stream | null}
 */
function pictureStream({ number, header, format }) {
  if (format.length < 40) throw damaged('picture format');
  const code = format.toString('latin1', 16, 20).toUpperCase();
  const clean = Object.hasOwn(PICTURES, code) ? PICTURES[code] : undefined;
  if (!clean) return null;
  const [scale, rate] = [header.readUInt32LE(20), header.readUInt32LE(24)];
  if (scale === 0 || rate === 0 || scale > MAX_RATE || rate > MAX_RATE) throw damaged('frame rate');
  const [width, height] = [format.readInt32LE(4), format.readInt32LE(8)];
  if (width < 1 || width > MAX_SIDE_px || Math.abs(height) > MAX_SIDE_px) throw damaged('size');
  const written = Buffer.alloc(40);
  written.writeUInt32LE(40, 0);
  written.writeInt32LE(width, 4);
  written.writeInt32LE(height, 8);
  written.writeUInt16LE(1, 12);
  written.writeUInt16LE(24, 14);
  written.write(code, 16, 'latin1');
  return {
    number,
    header: streamHeader({ type: 'vids', code, scale, rate, sample_bytes: 0 }),
    format: written,
    second_s: scale / rate,
    length: 0,
    clean,
  };
}

/**
 * @param {{ number: number, header: Buffer, format: Buffer }} stream
 * @returns {Stream | null}
 */
function soundStream({ number, header, format }) {
  if (format.length < 16) throw damaged('sound format');
  const codec = format.readUInt16LE(0);
  if (codec !== PCM && codec !== MP3) return null;
  const [channels, frequency_hz] = [format.readUInt16LE(2), format.readUInt32LE(4)];
  const bits = codec === PCM ? format.readUInt16LE(14) : 0;
  const [scale, rate] = [header.readUInt32LE(20), header.readUInt32LE(24)];
  if (channels < 1 || channels > 8 || frequency_hz < 1 || frequency_hz > MAX_FREQUENCY_hz || bits > 32)
    throw damaged('sound format');
  if (scale === 0 || rate === 0 || scale > MAX_RATE || rate > MAX_RATE) throw damaged('sound rate');
  // MP3 is counted in bytes or, if the size of a sample is 0, in chunks.
  const isCountedInChunks = codec === MP3 && header.readUInt32LE(44) === 0;
  const block_bytes = codec === PCM ? (channels * bits) / 8 : isCountedInChunks ? MP3_FRAME_samples : 1;
  const second_bytes = codec === PCM ? frequency_hz * block_bytes : Math.min(format.readUInt32LE(8), MAX_MP3_bytes);
  const written = Buffer.alloc(codec === PCM ? 16 : 30);
  written.writeUInt16LE(codec, 0);
  written.writeUInt16LE(channels, 2);
  written.writeUInt32LE(frequency_hz, 4);
  written.writeUInt32LE(second_bytes, 8);
  written.writeUInt16LE(block_bytes, 12);
  written.writeUInt16LE(bits, 14);
  if (codec === MP3) {
    // 12 more bytes follow: the codec id, padding as needed, the size of a block, one frame per block, the usual delay.
    [12, 1, 2, 0, MP3_FRAME_samples, 1, 1_393].forEach((value, index) => written.writeUInt16LE(value, 16 + index * 2));
  }
  return {
    number,
    header: streamHeader({
      type: 'auds',
      code: '\0\0\0\0',
      scale,
      rate,
      sample_bytes: isCountedInChunks ? 0 : block_bytes,
    }),
    format: written,
    second_s: 0,
    length: 0,
    clean: (packet) => packet,
  };
}

/**
 * @param {{ type: string, code: string, scale: number, rate: number, sample_bytes: number }} stream
 */
function streamHeader({ type, code, scale, rate, sample_bytes }) {
  const written = Buffer.alloc(56);
  written.write(type + code, 'latin1');
  written.writeUInt32LE(scale, 20);
  written.writeUInt32LE(rate, 24);
  // The quality is the default of the player.
  written.writeUInt32LE(0xffff_ffff, 40);
  written.writeUInt32LE(sample_bytes, 44);
  return written;
}

/**
 * @param {string} type
 * @param {...Buffer} content
 */
function chunk(type, ...content) {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

/**
 * @param {{ input: number, output: number, onPicture: ((data: Uint8Array) => void) | undefined }} files
 * @param {readonly [Stream, ...Stream[]]} streams
 * @param {readonly Chunk[]} chunks
 */
function writeAvi({ input, output, onPicture }, streams, chunks) {
  const [picture] = streams;
  /** @type {Buffer[]} */
  const index = [];
  /** @type {{ count: number, largest: number, sound: Buffer[] }} */
  const written = { count: 0, largest: 0, sound: [] };
  const headers = () => {
    const avih = Buffer.alloc(56);
    avih.writeUInt32LE(Math.round(picture.second_s * 1_000_000), 0);
    // The file has an index.
    avih.writeUInt32LE(0x10, 12);
    avih.writeUInt32LE(written.count, 16);
    avih.writeUInt32LE(streams.length, 24);
    avih.writeUInt32LE(written.largest, 28);
    picture.format.copy(avih, 32, 4, 12);
    const lists = streams.map(({ header, format, length }) => {
      header.writeUInt32LE(length, 32);
      return chunk('LIST', Buffer.from('strl'), chunk('strh', header), chunk('strf', format));
    });
    return chunk('LIST', Buffer.from('hdrl'), chunk('avih', avih), ...lists);
  };
  const moviAt = 12 + headers().length;
  let at = moviAt + 12;
  for (const original of chunks) {
    const number = streams.findIndex((stream) => isChunkOf(original.type, stream.number));
    const stream = streams[number];
    if (!stream) continue;
    const bytes = Buffer.from(stream.clean(readChunk(input, original, MAX_CHUNK_bytes)));
    const isPicture = number === 0;
    const sample_bytes = stream.header.readUInt32LE(44);
    stream.length += sample_bytes === 0 ? 1 : Math.floor(bytes.length / sample_bytes);
    if (isPicture) onPicture?.(bytes);
    if (isPicture) written.count += 1;
    else if (stream.format.readUInt16LE(0) === MP3) written.sound.push(bytes);
    written.largest = Math.max(written.largest, bytes.length);
    const type = `0${number}${isPicture ? 'dc' : 'wb'}`;
    const entry = Buffer.alloc(16);
    entry.write(type, 'latin1');
    // A player can start at a key picture. Only a motion JPEG has key pictures only, so the others are not marked.
    entry.writeUInt32LE(isKey(stream, isPicture, bytes) ? 0x10 : 0, 4);
    entry.writeUInt32LE(at - (moviAt + 8), 8);
    entry.writeUInt32LE(bytes.length, 12);
    index.push(entry);
    const whole = chunk(type, bytes);
    writeSync(output, whole, 0, whole.length, at);
    at += whole.length;
  }
  if (written.sound.length > 0) requireMp3Frames(Buffer.concat(written.sound));
  const idx1 = chunk('idx1', ...index);
  writeSync(output, idx1, 0, idx1.length, at);
  const riff = Buffer.alloc(12);
  riff.write('RIFF', 'latin1');
  riff.writeUInt32LE(at + idx1.length - 8, 4);
  riff.write('AVI ', 8, 'latin1');
  const movi = Buffer.alloc(12);
  movi.write('LIST', 'latin1');
  movi.writeUInt32LE(at - moviAt - 8, 4);
  movi.write('movi', 8, 'latin1');
  const start = Buffer.concat([riff, headers(), movi]);
  writeSync(output, start, 0, start.length, 0);
}

/**
 * @param {Stream} stream
 * @param {boolean} isPicture
 * @param {Buffer} bytes
 */
function isKey(stream, isPicture, bytes) {
  if (!isPicture) return true;
  const { clean } = stream;
  if (clean === cleanAvcWithStartCodes) return bytes.includes(Buffer.of(0, 0, 1, 0x65));
  if (clean === cleanMpeg4) {
    const frame = bytes.indexOf(Buffer.of(0, 0, 1, 0xb6));
    return frame !== -1 && (bytes[frame + 4] ?? 0xff) >> 6 === 0;
  }
  return true;
}
