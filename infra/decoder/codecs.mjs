// @ts-check
/**
 * Removes data that is neither picture nor sound from the packets of a video. Each codec has a list of the units to
 * retain, so unknown units are removed. Throws `RejectedFile` if the units of a packet do not fit into each other.
 */
import { RejectedFile } from './rejected-file.mjs';

/**
 * `description` is the codec's configuration for the decoder, or undefined if there is none. `clean` returns a packet
 * with only the units that a decoder needs.
 * @typedef {{ description: Uint8Array | undefined, clean: (packet: Uint8Array) => Uint8Array }} Cleaner
 */

/**
 * The H.264 units that are retained: pictures, parameter sets, delimiters and ends. Other units are removed, e.g. SEI
 * (6), filler and extensions.
 */
const AVC_UNITS = new Set([1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 19]);
/** The types of H.264 parameter sets. */
const AVC_PARAMETERS = new Set([7, 8, 13]);
/**
 * The last type of the H.265 units that are retained: pictures (0 to 31), parameter sets, delimiters and ends. Higher
 * types are removed, e.g. filler and SEI (39 and 40).
 */
const HEVC_LAST_UNIT = 37;
const HEVC_PARAMETERS = new Set([32, 33, 34]);
/**
 * The AV1 units that are retained: headers, delimiters, tiles and frames. Other units are removed, e.g. metadata (5)
 * and padding.
 */
const AV1_UNITS = new Set([1, 2, 3, 4, 6, 7]);

/** @param {string} what */
const damaged = (what) => new RejectedFile('VIDEO_DAMAGED', `damaged ${what}`);

/** @type {Readonly<Record<string, (description: Uint8Array | undefined) => Cleaner>>} */
const PICTURES = {
  avc(description) {
    const { lengthSize, parameters, head } = readAvcConfiguration(description);
    const isNeeded = (/** @type {number} */ first) => AVC_UNITS.has(first & 0x1f);
    return {
      description: concat([head, ...parameters]),
      clean: (packet) => cleanNalUnits(packet, lengthSize, isNeeded),
    };
  },
  hevc(description) {
    const { lengthSize, bytes } = cleanHevcConfiguration(description);
    const isNeeded = (/** @type {number} */ first) => ((first >> 1) & 0x3f) <= HEVC_LAST_UNIT;
    return { description: bytes, clean: (packet) => cleanNalUnits(packet, lengthSize, isNeeded) };
  },
  // The configuration of AV1 and VP9 is derived from the codec string.
  av1: () => ({ description: undefined, clean: cleanAv1 }),
  vp9: () => ({ description: undefined, clean: same }),
  vp8: () => ({ description: undefined, clean: same }),
};

/** @type {Readonly<Record<string, (description: Uint8Array | undefined) => Cleaner>>} */
const SOUNDS = {
  aac: (description) => ({ description: description?.subarray(0, 16), clean: same }),
  mp3: () => ({ description: undefined, clean: cleanMp3 }),
  opus: (description) => ({ description: description && cleanOpusHead(description), clean: same }),
  vorbis: (description) => ({ description: cleanVorbisHeaders(description), clean: same }),
  flac: (description) => ({ description: cleanFlacHeader(description), clean: same }),
  ac3: () => ({ description: undefined, clean: same }),
  eac3: () => ({ description: undefined, clean: same }),
};

/** @param {Uint8Array} packet */
const same = (packet) => packet;

/**
 * Returns whether videos may contain this codec for pictures, e.g. `avc`. The names are those of the package
 * mediabunny.
 * @param {string | null} codec
 */
export const isPictureCodec = (codec) => codec !== null && Object.hasOwn(PICTURES, codec);

/**
 * Returns whether videos may contain this codec for sound.
 * @param {string | null} codec
 */
export const isSoundCodec = (codec) =>
  codec !== null && (Object.hasOwn(SOUNDS, codec) || /^(?:pcm-[\w]+|ulaw|alaw)$/u.test(codec));

/**
 * Returns the functions that clean the packets of a track. The codec must be an accepted one.
 * @param {string} codec
 * @param {Uint8Array | undefined} description
 * @returns {Cleaner}
 */
export function createCleaner(codec, description) {
  const create = PICTURES[codec] ?? SOUNDS[codec];
  return create ? create(description) : { description: undefined, clean: same };
}

/**
 * @param {readonly Uint8Array[]} parts
 * @returns {Uint8Array}
 */
const concat = (parts) => new Uint8Array(Buffer.concat(parts));

/**
 * Returns the part of `bytes` that begins with a length of 16 bits.
 * @param {Uint8Array} bytes
 * @param {number} at
 */
function withLength16(bytes, at) {
  const end = at + 2 + ((bytes[at] ?? 0) << 8) + (bytes[at + 1] ?? 0);
  if (at + 2 >= end || end > bytes.length) throw damaged('parameter set');
  return { part: bytes.subarray(at, end), type: bytes[at + 2] ?? 0, end };
}

/** @param {Uint8Array | undefined} bytes an AVCDecoderConfigurationRecord (ISO/IEC 14496-15) */
function readAvcConfiguration(bytes) {
  if (!bytes || bytes.length < 7) throw damaged('H.264 configuration');
  const lengthSize = ((bytes[4] ?? 0) & 3) + 1;
  /** @type {Uint8Array[]} */
  const parameters = [];
  let at = 5;
  for (const list of ['sequence', 'picture']) {
    const wanted = list === 'sequence' ? (bytes[at] ?? 0) & 0x1f : (bytes[at] ?? 0);
    at += 1;
    /** @type {Uint8Array[]} */
    const retained = [];
    for (let index = 0; index < wanted; index += 1) {
      const { part, type, end } = withLength16(bytes, at);
      if (AVC_PARAMETERS.has(type & 0x1f)) retained.push(part);
      at = end;
    }
    parameters.push(Uint8Array.of(list === 'sequence' ? 0xe0 | retained.length : retained.length), ...retained);
  }
  const profile = bytes[1] ?? 0;
  // Profiles of higher quality have three more bytes: chroma format and bit depths. No extension sets follow.
  if (profile >= 100 && at + 3 <= bytes.length)
    parameters.push(
      Uint8Array.of(0xfc | (bytes[at] ?? 0), 0xf8 | (bytes[at + 1] ?? 0), 0xf8 | (bytes[at + 2] ?? 0), 0),
    );
  return { lengthSize, parameters, head: bytes.slice(0, 5) };
}

const HEVC_HEAD_bytes = 22;

/** @param {Uint8Array | undefined} bytes an HEVCDecoderConfigurationRecord (ISO/IEC 14496-15) */
function cleanHevcConfiguration(bytes) {
  if (!bytes || bytes.length <= HEVC_HEAD_bytes) throw damaged('H.265 configuration');
  const lengthSize = ((bytes[HEVC_HEAD_bytes - 1] ?? 0) & 3) + 1;
  /** @type {Uint8Array[]} */
  const arrays = [];
  let at = HEVC_HEAD_bytes + 1;
  for (let array = 0; array < (bytes[HEVC_HEAD_bytes] ?? 0); array += 1) {
    const start = at;
    const count = ((bytes[at + 1] ?? 0) << 8) + (bytes[at + 2] ?? 0);
    at += 3;
    for (let index = 0; index < count; index += 1) ({ end: at } = withLength16(bytes, at));
    if (HEVC_PARAMETERS.has((bytes[start] ?? 0) & 0x3f)) arrays.push(bytes.subarray(start, at));
  }
  return { lengthSize, bytes: concat([bytes.slice(0, HEVC_HEAD_bytes), Uint8Array.of(arrays.length), ...arrays]) };
}

/**
 * Returns a packet of H.264 or H.265 with only the needed units. Every unit begins with its length.
 * @param {Uint8Array} packet
 * @param {number} lengthSize
 * @param {(first: number) => boolean} isNeeded
 */
function cleanNalUnits(packet, lengthSize, isNeeded) {
  const view = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
  /** @type {Uint8Array[]} */
  const retained = [];
  for (let at = 0; at < packet.length; ) {
    if (at + lengthSize > packet.length) throw damaged('packet');
    const end = at + lengthSize + view.readUIntBE(at, lengthSize);
    if (end > packet.length) throw damaged('packet');
    if (end > at + lengthSize && isNeeded(packet[at + lengthSize] ?? 0)) retained.push(packet.subarray(at, end));
    at = end;
  }
  return concat(retained);
}

/**
 * Returns a packet of H.264 with only the needed units, for containers in which every unit begins with the start code
 * 00 00 01.
 * @param {Uint8Array} packet
 * @returns {Uint8Array}
 */
export function cleanAvcWithStartCodes(packet) {
  return concat(
    startCodeUnits(packet).flatMap((unit) =>
      AVC_UNITS.has((unit[0] ?? 0) & 0x1f) ? [Uint8Array.of(0, 0, 0, 1), withoutTrailingZeros(unit)] : [],
    ),
  );
}

/** MPEG-4 part 2 units: objects, layers, visual sequences, groups, visual objects and frames. Not: user data (B2). */
const isMpeg4Unit = (/** @type {number} */ code) => code <= 0x2f || (code >= 0xb0 && code <= 0xb6 && code !== 0xb2);

/**
 * Returns a packet of MPEG-4 part 2 (e.g. Xvid) with only the needed units. User data contains the encoder.
 * @param {Uint8Array} packet
 * @returns {Uint8Array}
 */
export function cleanMpeg4(packet) {
  return concat(
    startCodeUnits(packet).flatMap((unit) => (isMpeg4Unit(unit[0] ?? 0) ? [Uint8Array.of(0, 0, 1), unit] : [])),
  );
}

/**
 * Returns the units of a packet without their start codes. Bytes before the first start code are omitted.
 * @param {Uint8Array} packet
 */
function startCodeUnits(packet) {
  const bytes = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
  const START = Buffer.of(0, 0, 1);
  /** @type {Uint8Array[]} */
  const units = [];
  for (let start = bytes.indexOf(START); start !== -1; ) {
    const next = bytes.indexOf(START, start + 3);
    const end = next === -1 ? bytes.length : next;
    if (end > start + 3) units.push(packet.subarray(start + 3, end));
    start = next;
  }
  return units;
}

/** @param {Uint8Array} unit */
function withoutTrailingZeros(unit) {
  let end = unit.length;
  while (end > 0 && unit[end - 1] === 0) end -= 1;
  return unit.subarray(0, end);
}

/** @param {Uint8Array} packet a temporal unit of AV1 in the low-overhead format */
function cleanAv1(packet) {
  /** @type {Uint8Array[]} */
  const retained = [];
  for (let at = 0; at < packet.length; ) {
    const head = packet[at] ?? 0;
    let size = 0;
    let end = at + ((head & 4) === 0 ? 1 : 2);
    // Without a size, the unit extends to the end of the packet.
    if ((head & 2) === 0) size = packet.length - end;
    else {
      for (let shift = 0; ; shift += 7) {
        const byte = packet[end];
        if (byte === undefined || shift > 28) throw damaged('AV1 unit');
        end += 1;
        size += (byte & 0x7f) * 2 ** shift;
        if ((byte & 0x80) === 0) break;
      }
    }
    end += size;
    if (end > packet.length || size < 0) throw damaged('AV1 unit');
    if (AV1_UNITS.has((head >> 3) & 0xf)) retained.push(packet.subarray(at, end));
    at = end;
  }
  return concat(retained);
}

/** Bytes of JPEG markers without content: restart markers and the temporary marker. */
const isBareMarker = (/** @type {number} */ marker) => (marker >= 0xd0 && marker <= 0xd7) || marker === 0x01;
/** JPEG segments with EXIF, other application data and comments. */
const isJpegMetadata = (/** @type {number} */ marker) => (marker >= 0xe0 && marker <= 0xef) || marker >= 0xf0;
const [SOI, EOI, SOS] = [0xd8, 0xd9, 0xda];

/**
 * Returns a JPEG picture of a motion JPEG video without application data and comments. An interlaced video has two
 * pictures in one packet. Bytes after the end of the picture are removed.
 * @param {Uint8Array} packet
 * @returns {Uint8Array}
 */
export function cleanJpeg(packet) {
  /** @type {Uint8Array[]} */
  const retained = [];
  let at = 0;
  while (packet[at] === 0xff && packet[at + 1] === SOI) at = keepJpeg(packet, at, retained);
  if (retained.length === 0) throw damaged('JPEG');
  return concat(retained);
}

/**
 * @param {Uint8Array} packet
 * @param {number} start
 * @param {Uint8Array[]} retained
 * @returns {number} the position after the picture
 */
function keepJpeg(packet, start, retained) {
  retained.push(packet.subarray(start, start + 2));
  for (let at = start + 2; ; ) {
    const marker = packet[at + 1];
    if (packet[at] !== 0xff || marker === undefined) throw damaged('JPEG');
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === EOI) {
      retained.push(packet.subarray(at, at + 2));
      return at + 2;
    }
    const length = isBareMarker(marker) ? 0 : ((packet[at + 2] ?? 0) << 8) + (packet[at + 3] ?? 0);
    let end = at + 2 + length;
    if (end > packet.length || (length < 2 && !isBareMarker(marker))) throw damaged('JPEG');
    if (marker === SOS) end = endOfScan(packet, end);
    if (!isJpegMetadata(marker)) retained.push(packet.subarray(at, end));
    at = end;
  }
}

/**
 * Returns the position of the first marker after the compressed data of a JPEG.
 * @param {Uint8Array} packet
 * @param {number} from
 */
function endOfScan(packet, from) {
  for (let at = packet.indexOf(0xff, from); at !== -1; at = packet.indexOf(0xff, at + 1)) {
    const next = packet[at + 1];
    if (next === undefined) break;
    if (next !== 0 && next !== 0xff && !isBareMarker(next)) return at;
  }
  throw damaged('JPEG');
}

/** Tags of MP3 files: ID3v2 and APEv2 begin with these bytes, ID3v1 and Lyrics3 end a file. */
const isMp3Frame = (/** @type {Uint8Array} */ bytes) => bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0;

/** @param {Uint8Array} packet one MP3 frame */
function cleanMp3(packet) {
  if (!isMp3Frame(packet)) throw damaged('MP3 frame');
  return packet;
}

/** @type {Readonly<Record<number, readonly number[]>>} Bit rates in kbit/s of MPEG 1 and of MPEG 2, for layer 3. */
const MP3_RATES_kbps = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const MP3_FREQUENCIES_hz = [44_100, 48_000, 32_000];

/**
 * Checks that a stream of MP3 data consists only of frames, so that it has no tags. The last frame may be incomplete.
 * @param {Uint8Array} stream
 * @throws {RejectedFile}
 */
export function requireMp3Frames(stream) {
  for (let at = 0; at < stream.length; ) {
    const [second = 0, third = 0] = [stream[at + 1], stream[at + 2]];
    if (at + 3 > stream.length) return;
    const version = (second >> 3) & 3;
    const layer = (second >> 1) & 3;
    const rate = MP3_RATES_kbps[version === 3 ? 1 : 2]?.[third >> 4] ?? 0;
    const frequency = MP3_FREQUENCIES_hz[(third >> 2) & 3];
    if (!isMp3Frame(stream.subarray(at)) || layer !== 1 || version === 1 || rate === 0 || frequency === undefined)
      throw damaged('MP3 frame');
    const samples = version === 3 ? 144 : 72;
    at +=
      Math.floor((samples * rate * 1_000) / (frequency / (version === 3 ? 1 : version === 2 ? 2 : 4))) +
      ((third >> 1) & 1);
  }
}

const OPUS_HEAD_bytes = 19;

/** @param {Uint8Array} head an identification header of Opus (RFC 7845) */
function cleanOpusHead(head) {
  if (head.length < OPUS_HEAD_bytes) throw damaged('Opus header');
  // The mapping of the channels follows, with two counts and one byte for each channel.
  const mapping_bytes = head[18] === 0 ? 0 : 2 + (head[9] ?? 0);
  return head.slice(0, OPUS_HEAD_bytes + mapping_bytes);
}

const FLAC_HEADER_bytes = 42;

/** @param {Uint8Array | undefined} header the marker `fLaC` and metadata blocks, the first of which is STREAMINFO */
function cleanFlacHeader(header) {
  if (!header || header.length < FLAC_HEADER_bytes || Buffer.from(header.subarray(0, 4)).toString('latin1') !== 'fLaC')
    throw damaged('FLAC header');
  const info = header.slice(0, FLAC_HEADER_bytes);
  if (((info[4] ?? 0) & 0x7f) !== 0) throw damaged('FLAC header');
  // The first bit states that no other block follows, such as comments or pictures.
  info[4] = 0x80;
  return info;
}

/**
 * Replaces the comments of a Vorbis track with empty ones. In Matroska, the lengths of the three headers come first,
 * and then the headers.
 * @param {Uint8Array | undefined} headers
 */
function cleanVorbisHeaders(headers) {
  if (!headers || headers[0] !== 2) throw damaged('Vorbis headers');
  let at = 1;
  const lengths = [0, 0].map(() => {
    let length = 0;
    for (;;) {
      const byte = headers[at];
      if (byte === undefined) throw damaged('Vorbis headers');
      at += 1;
      length += byte;
      if (byte !== 255) return length;
    }
  });
  const [first = 0, second = 0] = lengths;
  const identification = headers.subarray(at, at + first);
  const setup = headers.subarray(at + first + second);
  if (first !== 30 || setup.length === 0 || at + first + second > headers.length) throw damaged('Vorbis headers');
  const comments = Buffer.concat([Buffer.from('\u0003vorbis', 'latin1'), Buffer.alloc(8), Buffer.of(1)]);
  return concat([Uint8Array.of(2, first, comments.length), identification, comments, setup]);
}
