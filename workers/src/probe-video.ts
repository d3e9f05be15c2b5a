import * as z from 'zod';
import { FfprobeError, runFfprobe } from './run-ffprobe.ts';

/**
 * Error for a file that is not a playable video. The file has another format, is damaged, or has no moving pictures.
 */
export class NotAVideo extends Error {
  override readonly name = 'NotAVideo';
}

/** The demuxer of ffprobe for each content type. A demuxer is the part of ffprobe that reads a container format. */
const DEMUXERS: Readonly<Record<string, string>> = {
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
const stream = z.object({
  codec_type: z.optional(z.string()),
  codec_name: z.optional(z.string()),
  width: z.optional(z.number()),
  height: z.optional(z.number()),
  duration: seconds,
  disposition: z.optional(z.object({ attached_pic: z.optional(z.number()) })),
  tags: z.optional(z.object({ rotate: z.optional(z.coerce.number()) })),
  side_data_list: z.optional(z.array(z.object({ rotation: z.optional(z.number()) }))),
});
type Stream = z.output<typeof stream>;
const report = z.object({
  format: z.optional(z.object({ duration: seconds })),
  streams: z.array(stream),
  packets: z.array(z.object({ pts_time: time, dts_time: time, duration_time: seconds })),
});
type Report = z.output<typeof report>;

/**
 * Returns the duration, the size and the codec of a video. The duration is also computed from the data packets of the
 * video, because the duration in the file header can be wrong. `contentType` is the type that was detected from the
 * bytes. Throws `NotAVideo`, or the reason of `signal` if it aborts.
 */
export async function probeVideo(file: string, contentType: string, signal: AbortSignal) {
  const demuxer = DEMUXERS[contentType];
  if (demuxer === undefined) throw new NotAVideo(`a file of type ${contentType}`);
  const { streams, ...rest } = await reportOf(file, demuxer, signal);
  const pictures = streams.find(
    ({ codec_type, disposition }) => codec_type === 'video' && disposition?.attached_pic !== 1,
  );
  const duration_s = durationOf({ streams, ...rest });
  const { width = 0, height = 0, codec_name } = pictures ?? {};
  if (!pictures || codec_name === undefined || width <= 0 || height <= 0 || duration_s <= 0)
    throw new NotAVideo('a file without moving pictures');
  const isRotated = Math.abs(rotationOf(pictures)) % 180 === 90;
  return {
    duration_s: Math.round(duration_s * 1000) / 1000,
    /** The width of the video in pixels, after rotation. */
    width: isRotated ? height : width,
    height: isRotated ? width : height,
    /** The name of the codec in ffprobe, e.g. `h264`. */
    codec: codec_name,
  };
}

async function reportOf(file: string, demuxer: string, signal: AbortSignal): Promise<Report> {
  try {
    const show = ['-read_intervals', `%+${EXAMINED_s}`, '-show_entries', ENTRIES];
    return report.parse(JSON.parse(await runFfprobe(file, { demuxer, show, signal })));
  } catch (error) {
    if (error instanceof FfprobeError || error instanceof SyntaxError || error instanceof z.ZodError)
      throw new NotAVideo(error.message, { cause: error });
    throw error;
  }
}

/**
 * Returns the longest of the durations in seconds that result from the header, the streams and the packets of a video.
 */
function durationOf({ format, streams, packets }: Report): number {
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
 */
function rotationOf({ tags, side_data_list = [] }: Stream): number {
  return side_data_list.find(({ rotation }) => rotation !== undefined)?.rotation ?? tags?.rotate ?? 0;
}
