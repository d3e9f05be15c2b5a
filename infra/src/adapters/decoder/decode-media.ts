import type { IncomingMessage } from 'node:http';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  DECODED_PHOTO_MAX_bytes,
  MAX_FILE_bytes,
  PHOTO_FORMATS,
  PHOTO_VARIANT_NAMES,
  PHOTO_WIDTHS_px,
  PICTURE_DIGEST,
  PICTURE_HASH,
  type RejectionCode,
} from '@alpenglow/domain';
import * as z from 'zod';
import { DecoderLost, DecoderTooSlow, type Decoder } from './decoder.ts';

/** Error for a file that cannot be used. `code` is an error code of the product. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
  readonly code: RejectionCode;
  constructor(code: RejectionCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The header of a response with the properties of a video. */
const PROPERTIES_HEADER = 'x-properties';
const [OK, UNUSABLE] = [200, 422];
/** The error code of a file that takes too long. */
export const TOO_SLOW_CODE = 'FILE_NOT_READABLE' satisfies RejectionCode;
/** The largest response with a photo. Its variants have far fewer bytes. */
const MAX_RESPONSE_bytes = 64 * 1024 * 1024;
/** More than the decoder computes of a picture. */
const MAX_PICTURE_HASHES = 100;
/** A new video has a new header and a new index, so it can be slightly larger than the original. */
const MAX_VIDEO_bytes = MAX_FILE_bytes + 4 * 1024 * 1024;

// The content of responses is checked like the input of a stranger, because a file could have taken over the decoder.
const rejectionSchema = z.object({
  code: z.enum([
    'NOT_AN_IMAGE',
    'IMAGE_DAMAGED',
    'TOO_MANY_PIXELS',
    'NOT_A_VIDEO',
    'VIDEO_DAMAGED',
    'VIDEO_NOT_SUPPORTED',
    'VIDEO_TOO_LONG',
    'VIDEO_TRIMMED',
    'FILE_NOT_READABLE',
  ]),
  message: z.string().max(10_000),
});
const side = z.number().int().min(1).max(100_000);
const photoProperties = z.object({
  width: side,
  height: side,
  blur: z
    .string()
    .max(2_000)
    .regex(/^data:image\/webp;base64,[\w+/=]+$/u),
  hashes: z.array(z.string().regex(PICTURE_HASH)).min(1).max(MAX_PICTURE_HASHES),
  digest: z.string().regex(PICTURE_DIGEST),
});
const photo = photoProperties.extend({
  variants: z.array(z.object({ name: z.enum(PHOTO_VARIANT_NAMES as [string, ...string[]]), base64: z.base64() })),
});
const videoProperties = z.object({
  duration_s: z.number().positive(),
  width: side,
  height: side,
  codec: z.string().regex(/^\w{1,40}$/u),
  shortened_s: z.number().nonnegative().max(1_000_000),
  digest: z.string().regex(PICTURE_DIGEST),
});

export type PhotoProperties = z.output<typeof photoProperties>;

/**
 * Decodes the first frame of a picture in a file, and returns its properties and resized variants, the largest first
 * . Throws `UnusableFile` and the errors of the decoder.
 */
export async function decodePhoto(decoder: Decoder, file: string, signal: AbortSignal) {
  const options = { widths_px: PHOTO_WIDTHS_px, formats: PHOTO_FORMATS, maxDecoded_bytes: DECODED_PHOTO_MAX_bytes };
  const { variants, ...properties } = photo.parse(
    await readJson(decoder, { operation: 'v2/photo', options, body: () => createReadStream(file), signal }),
  );
  return {
    ...properties,
    variants: variants.map(({ name, base64 }) => ({ name, bytes: Buffer.from(base64, 'base64') })),
  };
}

/**
 * Returns the size, the preview, the hashes and the digest of a picture, computed from its largest variant. Throws the
 * errors of `decodePhoto`.
 */
export async function readPhotoProperties(
  decoder: Decoder,
  largest: Uint8Array,
  signal: AbortSignal,
): Promise<PhotoProperties> {
  const options = { maxDecoded_bytes: DECODED_PHOTO_MAX_bytes };
  return photoProperties.parse(
    await readJson(decoder, { operation: 'v2/photo-properties', options, body: largest, signal }),
  );
}

/**
 * Converts a picture of an identity document to a new JPEG. The new picture is upright, at most 2,400 px wide and high,
 * and has no EXIF data, such as the location. Throws like `decodePhoto`.
 */
export function normalizeDocument(decoder: Decoder, bytes: Uint8Array, signal: AbortSignal): Promise<Buffer> {
  const options = { maxDecoded_bytes: DECODED_PHOTO_MAX_bytes };
  return receive(decoder, { operation: 'document', options, body: bytes, signal }, readAll);
}

/**
 * Removes everything except the pictures and the sound that players show from a video, and measures the video (R-5.23,
 * `store` stores the new file and returns its size. Throws `UnusableFile` and the errors of the decoder and of
 * `store`.
 */
export function cleanVideo(
  decoder: Decoder,
  {
    file,
    contentType,
    max_s,
    signal,
  }: { readonly file: string; readonly contentType: string; readonly max_s: number; readonly signal: AbortSignal },
  store: (bytes: Readable) => Promise<{ readonly sizeBytes: number }>,
) {
  const call = { operation: 'v2/video', options: { contentType, max_s }, body: () => createReadStream(file), signal };
  return receive(decoder, call, async (response) => {
    const properties = videoProperties.parse(JSON.parse(String(response.headers[PROPERTIES_HEADER])));
    const size = Number(response.headers['content-length']);
    if (!(size > 0 && size <= MAX_VIDEO_bytes)) throw new DecoderLost('The decoder returned a video without a size');
    const { sizeBytes } = await store(response);
    if (sizeBytes !== size) throw new DecoderLost('The decoder returned a part of a video');
    return { ...properties, sizeBytes };
  });
}

interface Call {
  readonly operation: string;
  readonly options: object;
  readonly body: Uint8Array | (() => Readable);
  readonly signal: AbortSignal;
}

async function readJson(decoder: Decoder, call: Call): Promise<unknown> {
  return JSON.parse((await receive(decoder, call, readAll)).toString('utf8')) as unknown;
}

/**
 * Sends a request and reads a successful response with `read`. Throws `UnusableFile` for a rejected file and for one
 * that takes too long.
 */
async function receive<T>(
  decoder: Decoder,
  { operation, options, body, signal }: Call,
  read: (response: IncomingMessage) => Promise<T>,
): Promise<T> {
  const outcome = await decoder
    .send({
      path: `/${operation}?options=${encodeURIComponent(JSON.stringify(options))}`,
      body,
      signal,
      read: async (response) => {
        const { statusCode: status } = response;
        if (status === OK) return { value: await read(response) };
        return { status, text: (await readAll(response)).toString('utf8') };
      },
    })
    .catch((error: unknown) => {
      throw error instanceof DecoderTooSlow ? new UnusableFile(TOO_SLOW_CODE, error.message) : error;
    });
  if ('value' in outcome) return outcome.value;
  if (outcome.status !== UNUSABLE) throw new Error(`The decoder failed: ${outcome.text.slice(0, 1_000)}`);
  const { code, message } = rejectionSchema.parse(JSON.parse(outcome.text));
  throw new UnusableFile(code, message);
}

async function readAll(response: IncomingMessage): Promise<Buffer> {
  let size = 0;
  const limited = Readable.from(
    (async function* () {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > MAX_RESPONSE_bytes) throw new DecoderLost('The decoder returned too many bytes');
        yield chunk;
      }
    })(),
  );
  return buffer(limited);
}
