import { grayOfPixels, HASHED_SIDE_px, hashOfPicture, NO_FEATURES } from '@alpenglow/domain/pdq';

/** Why a picture has no hash: see the texts `removal.pictureError.…`. */
export type HashError = 'unreadable' | 'featureless' | 'blocked' | 'tooLarge';

export type HashResult = { readonly hash: string } | { readonly error: HashError };

/** The number of values of a pixel in a canvas: red, green, blue and opacity. */
const CHANNELS = 4;
/** A color that no browser uses in place of real pixels, and the difference that rounding can cause. */
const PROBE = [12, 200, 90] as const;
const PROBE_SIDE_px = 8;
const PROBE_TOLERANCE = 8;

/** A picture is first reduced to at most four times its final width. Phones limit the size of a canvas. */
const MAX_HALVINGS = 2;

/**
 * Computes the perceptual hash of a picture in the browser, as the server does (decision 0118). The picture is not
 * sent. The browser decodes it once, outside of the main thread. The rest takes a few milliseconds. A picture with more
 * than `max_px` pixels is too large, because it could use up the memory of a phone.
 */
export async function hashPicture(file: Blob, max_px: number): Promise<HashResult> {
  if (!canReadPixels()) return { error: 'blocked' };
  const picture = await decode(file).catch(() => null);
  if (picture === null) return { error: 'unreadable' };
  const isTooLarge = picture.width * picture.height > max_px;
  const context = isTooLarge ? null : reduce(picture);
  picture.close();
  if (isTooLarge) return { error: 'tooLarge' };
  if (context === null) return { error: 'unreadable' };
  const { width, height } = context.canvas;
  const hash = hashOfPicture(grayOfPixels(context.getImageData(0, 0, width, height), CHANNELS));
  return hash === NO_FEATURES ? { error: 'featureless' } : { hash };
}

/** Decodes a picture in the orientation of its camera. Rejects if the browser cannot decode the file. */
function decode(file: Blob): Promise<ImageBitmap> {
  return createImageBitmap(file, { imageOrientation: 'from-image' }).catch((error: unknown) => {
    // Chrome before version 112 and Safari before version 16 do not know this value, and do the same without it.
    if (error instanceof TypeError) return createImageBitmap(file);
    throw error;
  });
}

/**
 * Draws a picture in the size for its hash, in steps of a half, because some browsers read only a few pixels for each
 * new one. Closes the picture. Returns null if the browser has no memory for a canvas.
 */
function reduce(picture: ImageBitmap): CanvasRenderingContext2D | null {
  const { width, height } = fit(picture);
  const halvings = Math.ceil(Math.log2(Math.max(picture.width / width, picture.height / height))) - 1;
  let source: ImageBitmap | HTMLCanvasElement = picture;
  for (let step = Math.max(0, Math.min(MAX_HALVINGS, halvings)); ; step -= 1) {
    const size = [width * 2 ** step, height * 2 ** step] as const;
    const context = createContext(...size, step === 0);
    if (!context) return null;
    context.imageSmoothingQuality = 'high';
    // Transparent parts are white on the server, too.
    context.fillStyle = '#fff';
    context.fillRect(0, 0, ...size);
    context.drawImage(source, 0, 0, ...size);
    // The memory is released now, and not at some later time.
    if (source instanceof HTMLCanvasElement) source.width = 0;
    else source.close();
    if (step === 0) return context;
    source = context.canvas;
  }
}

/** Returns the size of a picture that is reduced for its hash. Small pictures are not enlarged. */
function fit({ width, height }: { readonly width: number; readonly height: number }) {
  const scale = Math.min(1, HASHED_SIDE_px / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

function createContext(width: number, height: number, willReadFrequently = true): CanvasRenderingContext2D | null {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  return canvas.getContext('2d', { willReadFrequently });
}

/** Returns false if the browser returns other pixels than those that were drawn, to prevent that sites recognize it. */
function canReadPixels(): boolean {
  const context = createContext(PROBE_SIDE_px, PROBE_SIDE_px);
  if (!context) return false;
  context.fillStyle = `rgb(${PROBE.join(',')})`;
  context.fillRect(0, 0, PROBE_SIDE_px, PROBE_SIDE_px);
  const { data } = context.getImageData(0, 0, PROBE_SIDE_px, PROBE_SIDE_px);
  return data.every((value, index) => {
    const wanted = PROBE[index % CHANNELS];
    return wanted === undefined || Math.abs(value - wanted) <= PROBE_TOLERANCE;
  });
}
