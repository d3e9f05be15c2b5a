// @ts-check
/**
 * Writes the pictures and the sound of an MP4, MOV or WebM to a new file of the same type. Nothing else of the original
 * is written, so no metadata, text track or unknown part remains.
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
import { RejectedFile } from './rejected-file.mjs';

// Messages about damaged files would contain parts of them.
Logging.level = LogLevel.Silent;

/** Maximum number of packets of a track. A video of 20 s contains far fewer. */
const MAX_PACKETS = 50_000;
const MAX_TRACKS = 64;

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
    if (reads > MAX_READS) throw new RejectedFile('NOT_A_VIDEO', 'a file that is read too often');
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
 * @param {{ contentType: string, max_s: number }} options
 * @returns {Promise<void>}
 * @throws {RejectedFile} NOT_A_VIDEO, VIDEO_NOT_SUPPORTED, or VIDEO_TOO_LONG if the video has more than `max_s` seconds
 * @throws {Error} if the file is damaged
 */
export async function remux(from, to, { contentType, max_s }) {
  const type = TYPES[contentType];
  if (!type) throw new RejectedFile('NOT_A_VIDEO', `a file of type ${contentType}`);
  if (type.inputs.includes(MP4)) await checkBoxes(from);
  const file = await open(from, 'r');
  const { size } = await file.stat();
  const input = new Input({ source: limitedSource(file, size), formats: type.inputs });
  try {
    const tracks = await chooseTracks(input);
    const plans = [];
    for (const track of tracks) plans.push(await planOf(track));
    const start_s = Math.min(...plans.map((plan) => plan.start_s));
    if (Math.max(...plans.map((plan) => plan.end_s)) - start_s > max_s)
      throw new RejectedFile('VIDEO_TOO_LONG', 'the packets last too long');
    const newFile = await open(to, 'w');
    try {
      await write(new Output({ format: type.output(), target: toTarget(newFile) }), plans, start_s);
    } finally {
      await newFile.close();
    }
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
 * visitors.
 * @param {Input} input
 */
async function chooseTracks(input) {
  const tracks = await input.getTracks();
  if (tracks.length > MAX_TRACKS) throw new RejectedFile('NOT_A_VIDEO', 'too many tracks');
  const pictures = tracks.filter((track) => track.isVideoTrack());
  const sounds = tracks.filter((track) => track.isAudioTrack());
  if (pictures.length === 0) throw new RejectedFile('NOT_A_VIDEO', 'no picture track');
  const picture = await findTrack(pictures, isPictureCodec);
  const sound = await findTrack(sounds, isSoundCodec);
  if (!picture || (sounds.length > 0 && !sound)) throw new RejectedFile('VIDEO_NOT_SUPPORTED', 'unknown codec');
  return sound ? [picture, sound] : [picture];
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

/**
 * A track to write, with its number of packets and the time of its first and last picture or sound.
 * @typedef {{ track: Track, count: number, start_s: number, end_s: number }} Plan
 */

/**
 * @param {Track} track
 * @returns {Promise<Plan>}
 */
async function planOf(track) {
  let [count, start_s, end_s] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for await (const { timestamp, duration } of new EncodedPacketSink(track).packets(undefined, undefined, {
    metadataOnly: true,
  })) {
    count += 1;
    if (count > MAX_PACKETS) throw new RejectedFile('NOT_A_VIDEO', 'too many packets');
    if (!Number.isFinite(timestamp) || !Number.isFinite(duration)) throw new RejectedFile('NOT_A_VIDEO', 'no time');
    start_s = Math.min(start_s, timestamp);
    end_s = Math.max(end_s, timestamp + duration);
  }
  if (count === 0) throw new RejectedFile('NOT_A_VIDEO', 'an empty track');
  return { track, count, start_s, end_s };
}

/**
 * @param {Output} output
 * @param {readonly Plan[]} plans
 * @param {number} start_s  the time that becomes zero
 */
async function write(output, plans, start_s) {
  try {
    const writers = [];
    for (const plan of plans) writers.push(await addTrack(output, plan, start_s));
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
 * @param {number} start_s
 */
async function addTrack(output, { track, count }, start_s) {
  const config = await track.getDecoderConfig();
  const codec = await track.getCodec();
  if (!config || codec === null) throw new RejectedFile('VIDEO_NOT_SUPPORTED', 'unknown configuration');
  const { description, clean } = createCleaner(codec, config.description && toBytes(config.description));
  const { description: _original, ...others } = config;
  const decoderConfig = { ...others, ...(description && { description }) };
  const add = track.isVideoTrack()
    ? addPictures(output, codec, { rotation: await track.getRotation(), maximumPacketCount: count })
    : addSound(output, codec, { maximumPacketCount: count });
  const packets = new EncodedPacketSink(track).packets(undefined, undefined, { verifyKeyPackets: true });
  const writer = {
    written_s: Number.NEGATIVE_INFINITY,
    /** Writes the next packet. Returns false if there is none. */
    async writeNext() {
      const { value: packet, done } = await packets.next();
      if (done || !packet) return false;
      const timestamp = Math.max(0, packet.timestamp - start_s);
      // A key picture that is shown before an earlier one does not start a new group of pictures.
      const type = timestamp < writer.written_s && track.isVideoTrack() ? 'delta' : packet.type;
      writer.written_s = Math.max(writer.written_s, timestamp);
      // Only the data of the packet is retained. Additional data of a packet can be text or a transparency mask.
      const data = clean(packet.data);
      if (data.length > 0)
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
