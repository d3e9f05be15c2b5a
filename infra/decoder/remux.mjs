// @ts-check
/**
 * Writes the pictures and the sound of an MP4, MOV or WebM to a new file of the same type. Nothing else of the original
 * is written, so no metadata, text track or unknown part remains, and nothing that a player would not show.
 */
import { open } from 'node:fs/promises';
import {
  CustomSource,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  Input,
  Logging,
  LogLevel,
  MATROSKA,
  MkvOutputFormat,
  MovOutputFormat,
  MP4,
  Mp4OutputFormat,
  Output,
  QTFF,
  StreamTarget,
  WEBM,
  WebMOutputFormat,
} from 'mediabunny';
import { checkBoxes } from './check-boxes.mjs';
import { createCleaner, isPictureCodec, isSoundCodec } from './codecs.mjs';
import { EVERYTHING, readShownParts } from './edit-lists.mjs';
import { RejectedFile } from './rejected-file.mjs';

// Messages about damaged files would contain parts of them.
Logging.level = LogLevel.Silent;

/** Maximum number of packets of a track. A video of 20 s contains far fewer. */
const MAX_PACKETS = 50_000;
const MAX_TRACKS = 64;
/** Headers round the times of an edit list to their own units, which are at most this long in practice. */
const ROUNDING_s = 0.001;

/** Maximum number of reads of a file. A video of 20 s has about 2,000 packets, and each needs a few reads. */
const MAX_READS = 200_000;

/**
 * Returns a source that the library can read a limited number of times. Some damaged files make it read the same place
 * forever. These reads come from memory, so no timer of this process would end them.
 * @param {import('node:fs/promises').FileHandle} file
 * @param {number} size  in bytes
 */
function limitedSource(file, size) {
  const source = new CustomSource({
    getSize: () => size,
    read: async (start, end) => (await file.read(new Uint8Array(end - start), 0, end - start, start)).buffer,
    prefetchProfile: 'fileSystem',
  });
  // The types of the library do not contain this method, because only the library calls it.
  const reader = /** @type {{ _read: (...position: number[]) => unknown }} */ (/** @type {unknown} */ (source));
  const read = reader._read.bind(source);
  let reads = 0;
  reader._read = (...position) => {
    reads += 1;
    if (reads > MAX_READS) throw new RejectedFile('VIDEO_DAMAGED', 'a file that is read too often');
    return read(...position);
  };
  return source;
}

/** Chromium also records H.264 as WebM. Players accept this, so the codecs of Matroska are allowed. */
class RecordedWebm extends WebMOutputFormat {
  /** @override */
  getSupportedCodecs() {
    return new MkvOutputFormat().getSupportedCodecs();
  }
}

const ISO = { inputs: [MP4, QTFF] };
/**
 * The readers and the writer for each content type. The header of MP4 and MOV is at the start of the new file, so that
 * a player can start before it has loaded the whole file.
 * @type {Readonly<Record<string, {
 *   inputs: import('mediabunny').InputFormat[],
 *   output: () => import('mediabunny').OutputFormat,
 * }>>}
 */
const TYPES = {
  'video/mp4': { ...ISO, output: () => new Mp4OutputFormat({ fastStart: 'reserve' }) },
  'video/quicktime': { ...ISO, output: () => new MovOutputFormat({ fastStart: 'reserve' }) },
  'video/webm': { inputs: [WEBM, MATROSKA], output: () => new RecordedWebm() },
};

/**
 * @param {string} from  the path of the original
 * @param {string} to    the path of the new file
 * @param {{ contentType: string, max_s: number, onPicture?: (data: Uint8Array) => void }} options  `onPicture` receives
 *   each new picture, in the order of the file
 * @returns {Promise<number>} the part of the shown pictures in seconds that is not in the new file, e.g. 0.4
 * @throws {RejectedFile} NOT_A_VIDEO, VIDEO_DAMAGED, VIDEO_NOT_SUPPORTED, VIDEO_TOO_LONG if players show more than
 *   `max_s` seconds, or VIDEO_TRIMMED if the hidden part of a trimmed video cannot be removed
 * @throws {Error} if the file is damaged
 */
export async function remux(from, to, { contentType, max_s, onPicture = () => undefined }) {
  const type = TYPES[contentType];
  if (!type) throw new RejectedFile('NOT_A_VIDEO', `a file of type ${contentType}`);
  const movie = type.inputs.includes(MP4) ? await checkBoxes(from) : null;
  const file = await open(from, 'r');
  const { size } = await file.stat();
  const input = new Input({ source: limitedSource(file, size), formats: type.inputs });
  try {
    const { pictures, sound } = await chooseTracks(input, movie !== null);
    /** @type {ReadonlyMap<number, import('./edit-lists.mjs').ShownPart>} */
    const shownParts = movie
      ? readShownParts(movie, new Set([pictures, ...(sound ? [sound] : [])].map(({ id }) => id)))
      : new Map();
    const shownOf = (/** @type {Track} */ track) => shownParts.get(track.id) ?? EVERYTHING;
    const picturePlan = await planPictures(pictures, shownOf(pictures));
    const soundPlan = sound && (await planSound(sound, shownOf(sound), picturePlan));
    const plans = soundPlan ? [picturePlan, soundPlan] : [picturePlan];
    const [shownFrom_s, shownTo_s] = [
      Math.min(...plans.map(({ shown }) => shown.start_s)),
      Math.max(...plans.map(({ shown }) => shown.end_s)),
    ];
    if (shownTo_s - shownFrom_s > max_s) throw new RejectedFile('VIDEO_TOO_LONG', 'the packets last too long');
    const newFile = await open(to, 'w');
    try {
      const start_s = Math.min(...plans.map((plan) => plan.start_s));
      await write(new Output({ format: type.output(), target: toTarget(newFile) }), plans, { start_s, onPicture });
    } finally {
      await newFile.close();
    }
    const { shown, start_s, end_s } = picturePlan;
    return Math.max(0, Math.round((shown.end_s - shown.start_s - (end_s - start_s)) * 10) / 10);
  } finally {
    input.dispose();
    await file.close();
  }
}

/** @param {import('node:fs/promises').FileHandle} file */
function toTarget(file) {
  const write = (/** @type {import('mediabunny').StreamTargetChunk} */ { data, position }) =>
    file.write(data, 0, data.length, position).then(() => undefined);
  return new StreamTarget(new WritableStream({ write }), { chunked: true });
}

/**
 * Returns the first picture track and the first sound track with an accepted codec. Other tracks are not shown to
 * visitors. In MP4 and MOV, a track can be disabled, so that players do not show it.
 * @param {Input} input
 * @param {boolean} canDisable
 */
async function chooseTracks(input, canDisable) {
  const all = await input.getTracks();
  if (all.length === 0) throw new RejectedFile('VIDEO_DAMAGED', 'no readable track');
  if (all.length > MAX_TRACKS) throw new RejectedFile('VIDEO_DAMAGED', 'too many tracks');
  const enabled = [];
  for (const track of canDisable ? all : []) if ((await track.getDisposition()).default) enabled.push(track);
  // Some programs do not mark any track as enabled. Players then show them all.
  const tracks = enabled.some((track) => track.isVideoTrack()) ? enabled : all;
  const pictures = tracks.filter((track) => track.isVideoTrack());
  const sounds = tracks.filter((track) => track.isAudioTrack());
  if (pictures.length === 0) throw new RejectedFile('NOT_A_VIDEO', 'no picture track');
  const picture = await findTrack(pictures, isPictureCodec);
  const sound = await findTrack(sounds, isSoundCodec);
  if (!picture || (sounds.length > 0 && !sound)) throw new RejectedFile('VIDEO_NOT_SUPPORTED', 'unknown codec');
  return { pictures: picture, sound };
}

/**
 * @template {import('mediabunny').InputTrack} Track
 * @param {readonly Track[]} tracks
 * @param {(codec: string | null) => boolean} isAccepted
 */
async function findTrack(tracks, isAccepted) {
  for (const track of tracks) if (isAccepted(await track.getCodec())) return track;
  return null;
}

/** @typedef {import('mediabunny').InputVideoTrack | import('mediabunny').InputAudioTrack} Track */

/** @typedef {import('./edit-lists.mjs').ShownPart} ShownPart */

/**
 * A track to write. `first` is the first packet to write. From then on, a packet before `from_s` is omitted, and the
 * track ends before the first packet that `isAfterEnd` names. `count` packets remain, whose pictures or sound last from
 * `start_s` to `end_s`. `shown` is the part of the original that players show.
 * @typedef {{
 *   track: Track, first: EncodedPacket, from_s: number, isAfterEnd: (packet: Times) => boolean,
 *   count: number, start_s: number, end_s: number, shown: ShownPart,
 * }} Plan
 */

/**
 * The time of a packet in seconds.
 * @typedef {{ timestamp: number, duration: number }} Times
 */

/**
 * Plans to write the pictures that players show. The new file begins at the first key picture among them, because a
 * player needs the hidden pictures before it for the others. It ends before the first hidden picture in the order of
 * the file, because later ones may need it.
 * @param {import('mediabunny').InputVideoTrack} track
 * @param {ShownPart} part
 * @returns {Promise<Plan>}
 */
async function planPictures(track, part) {
  const times = await timesOf(track);
  const shown = clip(part, times);
  const sink = new EncodedPacketSink(track);
  const options = { verifyKeyPackets: true };
  let first = await sink.getFirstKeyPacket(options);
  while (first && first.timestamp < part.start_s - ROUNDING_s) first = await sink.getNextKeyPacket(first, options);
  if (!first || first.timestamp >= shown.end_s - ROUNDING_s) {
    if (part === EVERYTHING) throw new RejectedFile('VIDEO_DAMAGED', 'no key picture');
    throw new RejectedFile('VIDEO_TRIMMED', 'no key picture in the part that is shown');
  }
  const isAfterEnd = (/** @type {Times} */ { timestamp }) => timestamp >= part.end_s - ROUNDING_s;
  const plan = planFrom({ track, first, from_s: first.timestamp, isAfterEnd, shown }, times);
  if (!plan) throw new RejectedFile('VIDEO_DAMAGED', 'an empty track');
  return plan;
}

/**
 * Plans to write the sound that players play. If pictures at the start are missing in the new file, their sound is,
 * too. Every packet of sound begins a new sound, so only whole packets are written. Returns null if none remains.
 * @param {import('mediabunny').InputAudioTrack} track
 * @param {ShownPart} part
 * @param {Plan} pictures
 * @returns {Promise<Plan | null>}
 */
async function planSound(track, part, pictures) {
  const times = await timesOf(track);
  const isCut = pictures.start_s > pictures.shown.start_s + ROUNDING_s;
  const from_s = Math.max(part.start_s, isCut ? pictures.start_s : Number.NEGATIVE_INFINITY) - ROUNDING_s;
  const first = await new EncodedPacketSink(track).getFirstPacket();
  const isAfterEnd = (/** @type {Times} */ { timestamp, duration }) => timestamp + duration > part.end_s + ROUNDING_s;
  return first && planFrom({ track, first, from_s, isAfterEnd, shown: clip(part, times) }, times);
}

/**
 * Returns the times of all packets of a track by their position in the file.
 * @param {Track} track
 * @returns {Promise<ReadonlyMap<number, Times>>}
 */
async function timesOf(track) {
  /** @type {Map<number, Times>} */
  const times = new Map();
  for await (const { sequenceNumber, timestamp, duration } of new EncodedPacketSink(track).packets(
    undefined,
    undefined,
    { metadataOnly: true },
  )) {
    if (times.size >= MAX_PACKETS) throw new RejectedFile('VIDEO_DAMAGED', 'too many packets');
    if (!Number.isFinite(timestamp) || !Number.isFinite(duration)) throw new RejectedFile('VIDEO_DAMAGED', 'no time');
    times.set(sequenceNumber, { timestamp, duration });
  }
  if (times.size === 0) throw new RejectedFile('VIDEO_DAMAGED', 'an empty track');
  return times;
}

/**
 * Returns the part of a track that is shown and has packets.
 * @param {ShownPart} part
 * @param {ReadonlyMap<number, Times>} times
 * @returns {ShownPart}
 */
function clip(part, times) {
  let [start_s, end_s] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { timestamp, duration } of times.values()) {
    start_s = Math.min(start_s, timestamp);
    end_s = Math.max(end_s, timestamp + duration);
  }
  return { start_s: Math.max(part.start_s, start_s), end_s: Math.min(part.end_s, end_s) };
}

/**
 * @param {Omit<Plan, 'count' | 'start_s' | 'end_s'>} plan
 * @param {ReadonlyMap<number, Times>} times
 * @returns {Plan | null} null if no packet remains
 */
function planFrom(plan, times) {
  let [count, start_s, end_s] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let isStarted = false;
  for (const [sequenceNumber, packet] of times) {
    isStarted ||= sequenceNumber === plan.first.sequenceNumber;
    if (!isStarted || packet.timestamp < plan.from_s) continue;
    if (plan.isAfterEnd(packet)) break;
    count += 1;
    start_s = Math.min(start_s, packet.timestamp);
    end_s = Math.max(end_s, packet.timestamp + packet.duration);
  }
  return count === 0 ? null : { ...plan, count, start_s, end_s: Math.min(end_s, plan.shown.end_s) };
}

/**
 * `start_s` is the time that becomes zero. `onPicture` receives each new picture.
 * @typedef {{ start_s: number, onPicture: (data: Uint8Array) => void }} Target
 */

/**
 * @param {Output} output
 * @param {readonly Plan[]} plans
 * @param {Target} target
 */
async function write(output, plans, target) {
  try {
    const writers = [];
    for (const plan of plans) writers.push(await addTrack(output, plan, target));
    await output.start();
    // The track with the earliest time is written next, so that pictures and sound stay close to each other in the
    // file and in memory.
    for (let waiting = writers; waiting.length > 0; ) {
      const behind = waiting.reduce((first, other) => (other.written_s < first.written_s ? other : first));
      if (!(await behind.writeNext())) waiting = waiting.filter((writer) => writer !== behind);
    }
    await output.finalize();
  } catch (error) {
    await output.cancel().catch(() => undefined);
    throw error;
  }
}

/**
 * @param {Output} output
 * @param {Plan} plan
 * @param {Target} target
 */
async function addTrack(output, { track, first, from_s, isAfterEnd, count }, { start_s, onPicture }) {
  const config = await track.getDecoderConfig();
  const codec = await track.getCodec();
  if (!config || codec === null) throw new RejectedFile('VIDEO_NOT_SUPPORTED', 'unknown configuration');
  const { description, clean } = createCleaner(codec, config.description && toBytes(config.description));
  const { description: _original, ...others } = config;
  const decoderConfig = { ...others, ...(description && { description }) };
  const add = track.isVideoTrack()
    ? addPictures(output, codec, { rotation: await track.getRotation(), maximumPacketCount: count })
    : addSound(output, codec, { maximumPacketCount: count });
  const packets = new EncodedPacketSink(track).packets(first, undefined, { verifyKeyPackets: true });
  const writer = {
    written_s: Number.NEGATIVE_INFINITY,
    /** Writes the next packet. Returns false if there is none. */
    async writeNext() {
      const { value: packet, done } = await packets.next();
      if (done || !packet) return false;
      if (packet.timestamp < from_s) return true;
      if (isAfterEnd(packet)) return false;
      const timestamp = Math.max(0, packet.timestamp - start_s);
      // A key picture that is shown before an earlier one does not start a new group of pictures.
      const type = timestamp < writer.written_s && track.isVideoTrack() ? 'delta' : packet.type;
      writer.written_s = Math.max(writer.written_s, timestamp);
      // Only the data of the packet is retained. Additional data of a packet can be text or a transparency mask.
      const data = clean(packet.data);
      if (data.length === 0) return true;
      if (track.isVideoTrack()) onPicture(data);
      await add(new EncodedPacket(data, type, timestamp, packet.duration), /** @type {any} */ ({ decoderConfig }));
      return true;
    },
  };
  return writer;
}

/**
 * @param {Output} output
 * @param {string} codec
 * @param {import('mediabunny').VideoTrackMetadata} metadata
 */
function addPictures(output, codec, metadata) {
  const source = new EncodedVideoPacketSource(/** @type {import('mediabunny').VideoCodec} */ (codec));
  output.addVideoTrack(source, metadata);
  return (/** @type {EncodedPacket} */ packet, /** @type {EncodedVideoChunkMetadata} */ meta) =>
    source.add(packet, meta);
}

/**
 * @param {Output} output
 * @param {string} codec
 * @param {import('mediabunny').AudioTrackMetadata} metadata
 */
function addSound(output, codec, metadata) {
  const source = new EncodedAudioPacketSource(/** @type {import('mediabunny').AudioCodec} */ (codec));
  output.addAudioTrack(source, metadata);
  return (/** @type {EncodedPacket} */ packet, /** @type {EncodedAudioChunkMetadata} */ meta) =>
    source.add(packet, meta);
}

/** @param {AllowSharedBufferSource} data */
function toBytes(data) {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
