// @ts-check
/** Measures a video with ffprobe. Runs only in the decoder, which is a separate process (decision 0058). */
import { execFile } from 'node:child_process';
import * as z from 'zod';
import { findFfprobe } from './find-ffprobe.mjs';
import { RejectedFile, rejecting } from './rejected-file.mjs';

/**
 * The demuxer of ffprobe for each content type. A demuxer is the part of ffprobe that reads a container format.
 * @type {Readonly<Record<string, string>>}
 */
const DEMUXERS = {
  'video/mp4': 'mov',
  'video/quicktime': 'mov',
  'video/x-msvideo': 'avi',
  'video/webm': 'matroska',
};

/**
 * Length in seconds of the part of a video that is examined, from its start. It is longer than the longest allowed
 * video.
 */
const EXAMINED_s = 25;
const ENTRIES = [
  'format=duration',
  'stream=codec_type,codec_name,width,height,duration',
  'stream_disposition=attached_pic',
  'stream_side_data_list',
  'stream_tags=rotate',
  'packet=pts_time,dts_time,duration_time',
].join(':');

const seconds = z.optional(z.coerce.number().check(z.nonnegative()));
const time = z.optional(z.coerce.number());
const report = z.object({
  format: z.optional(z.object({ duration: seconds })),
  streams: z.array(
    z.object({
      codec_type: z.optional(z.string()),
      codec_name: z.optional(z.string()),
      width: z.optional(z.number()),
      height: z.optional(z.number()),
      duration: seconds,
      disposition: z.optional(z.object({ attached_pic: z.optional(z.number()) })),
      tags: z.optional(z.object({ rotate: z.optional(z.coerce.number()) })),
      side_data_list: z.optional(z.array(z.object({ rotation: z.optional(z.number()) }))),
    }),
  ),
  packets: z.array(z.object({ pts_time: time, dts_time: time, duration_time: seconds })),
});
/** @typedef {z.output<typeof report>} Report */

const TIMEOUT_ms = 30_000;
const MAX_OUTPUT_bytes = 4 * 1024 * 1024;
/** The maximum size of a single memory allocation of ffprobe. No real video needs more. */
const MAX_ALLOCATION_bytes = 128 * 1024 * 1024;
/**
 * The limits that the operating system enforces for ffprobe: no core dump, no written file, 32 open files, 30 s of
 * processor time and 1 GB of memory. A limit that the system does not have is omitted.
 */
const LIMITED = [
  'for limit in "-c 0" "-f 0" "-n 32" "-t 30" "-v 1048576"; do ulimit $limit 2>/dev/null; done',
  'exec "$@"',
].join('; ');

/**
 * `duration_s` also counts the packets of the video, because the duration in its header can be wrong. Width and height
 * are in pixels, after rotation. `codec` is the name of the codec in ffprobe, e.g. `h264`.
 * @typedef {{ duration_s: number, width: number, height: number, codec: string }} VideoProperties
 */

/**
 * @param {string} file
 * @param {string} contentType
 * @returns {Promise<VideoProperties>}
 * @throws {RejectedFile} NOT_A_VIDEO, VIDEO_DAMAGED
 * @throws {Error} if there is no ffprobe
 */
export async function probeVideo(file, contentType) {
  const demuxer = DEMUXERS[contentType];
  if (demuxer === undefined) throw new RejectedFile('NOT_A_VIDEO', `a file of type ${contentType}`);
  const output = await runFfprobe(file, demuxer);
  const described = await rejecting('VIDEO_DAMAGED', async () => report.parse(JSON.parse(output)));
  const pictures = described.streams.find(
    ({ codec_type, disposition }) => codec_type === 'video' && disposition?.attached_pic !== 1,
  );
  const duration_s = durationOf(described);
  const { width = 0, height = 0, codec_name } = pictures ?? {};
  if (!pictures || codec_name === undefined || width <= 0 || height <= 0 || duration_s <= 0)
    throw new RejectedFile('NOT_A_VIDEO', 'a file without moving pictures');
  const isRotated = Math.abs(rotationOf(pictures)) % 180 === 90;
  return {
    duration_s: Math.round(duration_s * 1000) / 1000,
    width: isRotated ? height : width,
    height: isRotated ? width : height,
    codec: codec_name,
  };
}

/**
 * Runs ffprobe on a local file and returns its output, which is JSON. ffprobe may open only local files and use only
 * `demuxer`, so a malicious file cannot make it open other resources. Its only environment variable is the search path
 * of programs.
 * @param {string} file
 * @param {string} demuxer
 * @returns {Promise<string>}
 */
async function runFfprobe(file, demuxer) {
  const ffprobe = await findFfprobe();
  const args = [
    ...['-v', 'error', '-hide_banner', '-max_alloc', String(MAX_ALLOCATION_bytes)],
    ...['-protocol_whitelist', 'file', '-format_whitelist', demuxer, '-f', demuxer],
    ...['-read_intervals', `%+${EXAMINED_s}`, '-show_entries', ENTRIES],
    ...['-of', 'json=compact=1', '-i', `file:${file}`],
  ];
  return new Promise((resolve, reject) => {
    execFile(
      '/bin/sh',
      ['-c', LIMITED, 'sh', ffprobe, ...args],
      { timeout: TIMEOUT_ms, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_bytes, env: { PATH: process.env['PATH'] } },
      (error, stdout) => {
        if (!error) resolve(stdout);
        else if (error.code === 'ENOENT' || error.code === 'EACCES' || error.code === 126 || error.code === 127)
          reject(new Error('Videos cannot be checked: there is no ffprobe for this system', { cause: error }));
        else reject(new RejectedFile('VIDEO_DAMAGED', 'ffprobe could not read the file', { cause: error }));
      },
    );
  });
}

/**
 * Returns the longest of the durations in seconds that result from the header, the streams and the packets of a video.
 * @param {Report} report
 */
function durationOf({ format, streams, packets }) {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { pts_time, dts_time, duration_time = 0 } of packets) {
    const at = pts_time ?? dts_time;
    if (at === undefined) continue;
    first = Math.min(first, at);
    last = Math.max(last, at + duration_time);
  }
  return Math.max(format?.duration ?? 0, ...streams.map(({ duration = 0 }) => duration), last - Math.min(first, last));
}

/**
 * Returns the rotation of a video in degrees. Older versions of ffprobe return the rotation as a tag, newer versions in
 * the side data of the stream.
 * @param {Report['streams'][number]} stream
 */
function rotationOf({ tags, side_data_list = [] }) {
  return side_data_list.find(({ rotation }) => rotation !== undefined)?.rotation ?? tags?.rotate ?? 0;
}
