import * as z from 'zod';
import { FfprobeRefusal, runFfprobe } from './run-ffprobe.ts';

/** The bytes are no video we can play: not one at all, broken, or without pictures. */
export class NotAVideo extends Error {
  override readonly name = 'NotAVideo';
}

export interface VideoFacts {
  readonly duration_s: number;
  /** Pixels, upright. */
  readonly width: number;
  readonly height: number;
  /** As ffprobe names it, e.g. `h264`. */
  readonly codec: string;
}

/** What reads each kind of file. */
const DEMUXERS: Readonly<Record<string, string>> = {
  'video/mp4': 'mov',
  'video/quicktime': 'mov',
  'video/x-msvideo': 'avi',
  'video/webm': 'matroska',
};

/** So much is looked at: whether a video is longer than allowed shows within it. */
const LOOKED_AT_s = 25;
const SHOWN = [
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
 * Length and size of a video, as its packets say and not only its header, which can say anything. `contentType` is what was sniffed.
 * Throws `NotAVideo`; the reason of `signal` when that aborts.
 */
export async function probeVideo(file: string, contentType: string, signal: AbortSignal): Promise<VideoFacts> {
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
  const isTurned = Math.abs(rotationOf(pictures)) % 180 === 90;
  return {
    duration_s: Math.round(duration_s * 1000) / 1000,
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    codec: codec_name,
  };
}

async function reportOf(file: string, demuxer: string, signal: AbortSignal): Promise<Report> {
  try {
    return report.parse(
      JSON.parse(
        await runFfprobe(file, {
          demuxer,
          show: ['-read_intervals', `%+${LOOKED_AT_s}`, '-show_entries', SHOWN],
          signal,
        }),
      ),
    );
  } catch (error) {
    if (error instanceof FfprobeRefusal || error instanceof SyntaxError || error instanceof z.ZodError)
      throw new NotAVideo(error.message, { cause: error });
    throw error;
  }
}

/** The longest of what the header, the streams and the packets claim. */
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

/** Degrees. Older versions of ffprobe give it as a tag, newer ones with the stream's side data. */
function rotationOf({ tags, side_data_list = [] }: Stream): number {
  return side_data_list.find(({ rotation }) => rotation !== undefined)?.rotation ?? tags?.rotate ?? 0;
}
