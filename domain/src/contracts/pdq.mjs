// @ts-check
/**
 * Computes perceptual hashes of pictures (decision 0118). The decoder uses this file, and browsers load it for pictures
 * that a person names in a removal request. So it is JavaScript, and imports nothing. A hash is a PDQ hash of 256 bits,
 * as its public description defines it (https://github.com/facebook/ThreatExchange/tree/main/pdq). Pictures that look
 * alike have hashes that differ in few bits. Each bit states whether one of 16 × 16 frequencies of the gray picture is
 * above their median.
 */

/** The side of the reduced picture of which the frequencies are computed. */
const SIDE = 64;
/** The number of frequencies in each direction. */
const FREQUENCIES = 16;
/** The number of times that the picture is blurred in each direction before it is reduced. */
const BLURS = 2;
/** PDQ reads pictures of at most this width and height. Larger ones are reduced first. */
export const HASHED_SIDE_px = 512;
/** Pictures with a lower quality from 0 to 100 have too few features, e.g. pictures of one color. */
const MIN_QUALITY = 20;
/** The hash of a picture with too few features. It is similar to no other hash. */
export const NO_FEATURES = '0'.repeat(64);

/**
 * The gray values of a picture from 0 to 255, row by row.
 * @typedef {{ values: Float32Array, width: number, height: number }} Gray
 */

/**
 * A part of a picture, as fractions of its width and height. A negative start, or an end above 1, is outside of the
 * picture.
 * @typedef {{ left: number, top: number, right: number, bottom: number }} Frame
 */

/** The shares of red, green and blue in a gray value. */
const GRAY = [0.299, 0.587, 0.114];

/**
 * Returns the gray values of a picture.
 * @param {{ data: ArrayLike<number>, width: number, height: number }} picture  the pixels, row by row
 * @param {number} channels  the number of values of a pixel, which begin with red, green and blue
 * @returns {Gray}
 */
export function grayOfPixels({ data, width, height }, channels) {
  const [red = 0, green = 0, blue = 0] = GRAY;
  const values = new Float32Array(width * height);
  for (let index = 0; index < values.length; index += 1) {
    const at = index * channels;
    values[index] = red * (data[at] ?? 0) + green * (data[at + 1] ?? 0) + blue * (data[at + 2] ?? 0);
  }
  return { values, width, height };
}

/** @type {Frame} */
const WHOLE = { left: 0, top: 0, right: 1, bottom: 1 };

/** The part that a crop removes from a picture, as fractions of its width and height. */
const CROPPED = 0.05;

/**
 * Returns the parts that remain of a picture after crops by 5 %: of the width, of the height or of both, at one side or
 * half at each side. The last one lacks 5 % at every side.
 * @returns {Frame[]}
 */
function croppedFrames() {
  const half = CROPPED / 2;
  const ranges = [
    [0, 1],
    [CROPPED, 1],
    [half, 1 - half],
    [0, 1 - CROPPED],
  ];
  const frames = ranges.flatMap(([left = 0, right = 1]) =>
    ranges.map(([top = 0, bottom = 1]) => ({ left, top, right, bottom })),
  );
  return [...frames.slice(1), { left: CROPPED, top: CROPPED, right: 1 - CROPPED, bottom: 1 - CROPPED }];
}

/**
 * Returns the frame in which the whole picture is the part `cropped`. It continues beyond the edges of the picture, as
 * the original of a cropped copy does.
 * @param {Frame} cropped
 * @returns {Frame}
 */
function extendedFrame({ left, top, right, bottom }) {
  const [width, height] = [right - left, bottom - top];
  return { left: -left / width, top: -top / height, right: (1 - left) / width, bottom: (1 - top) / height };
}

const CROPPED_FRAMES = croppedFrames();
/** The frames of the hashes of a picture, except the whole picture. */
const FRAMES = [...CROPPED_FRAMES, ...CROPPED_FRAMES.map(extendedFrame)];

/**
 * Returns the hashes of a picture as 64 hexadecimal digits each. The first one is the hash of the whole picture, which
 * is stored. The others are only used to search for copies. They are hashes of the parts of the picture after a crop by
 * 5 %, and of frames around the picture, of which the picture is such a part. If picture A is a crop of picture B, one
 * of the hashes of A is therefore similar to the first hash of B, and one of the hashes of B to the first hash of A.
 * Frames with too few features have no hash. A picture with too few features has only the hash `NO_FEATURES`.
 * @param {Gray} gray at most `HASHED_SIDE_px` wide and high
 * @returns {string[]}
 */
export function hashesOfPicture(gray) {
  const blurred = blur(gray);
  const whole = reduce(blurred, WHOLE);
  if (qualityOf(whole) < MIN_QUALITY) return [NO_FEATURES];
  const others = FRAMES.map((frame) => reduce(blurred, frame));
  return [whole, ...others.filter((reduced) => qualityOf(reduced) >= MIN_QUALITY)].map(hashOfReduced);
}

/**
 * Returns the hash of the whole picture, by which others find it. It is `NO_FEATURES` for too few features.
 * @param {Gray} gray at most `HASHED_SIDE_px` wide and high
 */
export function hashOfPicture(gray) {
  const { hash, quality } = pdqOf(gray);
  return quality < MIN_QUALITY ? NO_FEATURES : hash;
}

/**
 * Returns the PDQ hash of the whole picture, also if it has few features, and its quality from 0 to 100.
 * @param {Gray} gray at most `HASHED_SIDE_px` wide and high
 */
export function pdqOf(gray) {
  const reduced = reduce(blur(gray), WHOLE);
  return { hash: hashOfReduced(reduced), quality: qualityOf(reduced) };
}

/**
 * Blurs a picture twice in each direction, with windows that have half the size of a field of the reduced picture.
 * @param {Gray} gray
 * @returns {Gray}
 */
function blur({ values, width, height }) {
  const [from, to] = [Float32Array.from(values), new Float32Array(values.length)];
  const [rowWindow, columnWindow] = [windowOf(width), windowOf(height)];
  for (let pass = 0; pass < BLURS; pass += 1) {
    for (let row = 0; row < height; row += 1) average(from, to, row * width, 1, width, rowWindow);
    for (let column = 0; column < width; column += 1) average(to, from, column, width, height, columnWindow);
  }
  return { values: from, width, height };
}

/** @param {number} size width or height in pixels */
const windowOf = (size) => Math.ceil(size / (2 * SIDE));

/**
 * Replaces each value of a row or column by the average of the values around it. At the ends, the average is of those
 * that exist.
 * @param {Float32Array} from
 * @param {Float32Array} to
 * @param {number} start index of the first value
 * @param {number} step distance between two values
 * @param {number} count number of values
 * @param {number} window number of values in each average
 */
function average(from, to, start, step, count, window) {
  const ahead = Math.floor((window + 2) / 2) - 1;
  const behind = window - ahead;
  let sum = 0;
  let size = 0;
  for (let index = -ahead; index < count; index += 1) {
    const [added, removed] = [index + ahead, index - behind];
    if (added < count) {
      sum += from[start + added * step] ?? 0;
      size += 1;
    }
    if (removed >= 0) {
      sum -= from[start + removed * step] ?? 0;
      size -= 1;
    }
    if (index >= 0) to[start + index * step] = sum / size;
  }
}

/**
 * Returns 64 × 64 values of a frame of a blurred picture. Beyond the edges of the picture, they are those of the edge.
 * @param {Gray} blurred
 * @param {Frame} frame
 */
function reduce({ values, width, height }, { left, top, right, bottom }) {
  const columns = positions(left, right, width);
  const rows = positions(top, bottom, height);
  const reduced = new Float32Array(SIDE * SIDE);
  for (let row = 0; row < SIDE; row += 1) {
    const start = (rows[row] ?? 0) * width;
    for (let column = 0; column < SIDE; column += 1)
      reduced[row * SIDE + column] = values[start + (columns[column] ?? 0)] ?? 0;
  }
  return reduced;
}

/**
 * Returns the 64 positions of a frame in one direction.
 * @param {number} start
 * @param {number} end
 * @param {number} size
 */
function positions(start, end, size) {
  return Int32Array.from({ length: SIDE }, (_, index) => {
    const at = Math.floor((start + ((index + 0.5) / SIDE) * (end - start)) * size);
    return Math.min(size - 1, Math.max(0, at));
  });
}

/**
 * Returns the quality of a reduced picture from 0 to 100, which grows with the differences between neighbors.
 * @param {Float32Array} reduced
 */
function qualityOf(reduced) {
  const difference = (/** @type {number} */ one, /** @type {number} */ other) =>
    Math.abs(Math.trunc((((reduced[one] ?? 0) - (reduced[other] ?? 0)) * 100) / 255));
  let sum = 0;
  for (let row = 0; row < SIDE; row += 1) {
    for (let column = 0; column < SIDE; column += 1) {
      const index = row * SIDE + column;
      if (row + 1 < SIDE) sum += difference(index, index + SIDE);
      if (column + 1 < SIDE) sum += difference(index, index + 1);
    }
  }
  return Math.min(100, Math.floor(sum / 90));
}

/** The first frequencies of the cosine transform without the constant one, each with 64 values. */
const COSINES = Float32Array.from({ length: FREQUENCIES * SIDE }, (_, index) => {
  const [frequency, position] = [Math.floor(index / SIDE) + 1, index % SIDE];
  return Math.sqrt(2 / SIDE) * Math.cos((Math.PI / (2 * SIDE)) * frequency * (2 * position + 1));
});

/**
 * Returns the hash of a reduced picture. Bit `16 × row + column` is that of the frequency `row` in vertical direction
 * and `column` in horizontal direction. The digits begin with the last bit.
 * @param {Float32Array} reduced
 */
function hashOfReduced(reduced) {
  const frequencies = frequenciesOf(reduced);
  const median = Float32Array.from(frequencies).sort()[FREQUENCIES * FREQUENCIES * 0.5 - 1] ?? 0;
  let hash = '';
  for (let from = FREQUENCIES * FREQUENCIES - 4; from >= 0; from -= 4) {
    let digit = 0;
    for (let bit = 3; bit >= 0; bit -= 1) digit = digit * 2 + ((frequencies[from + bit] ?? 0) > median ? 1 : 0);
    hash += digit.toString(16);
  }
  return hash;
}

/**
 * Returns the 16 × 16 lowest frequencies of a reduced picture.
 * @param {Float32Array} reduced
 */
function frequenciesOf(reduced) {
  const vertical = new Float32Array(FREQUENCIES * SIDE);
  for (let frequency = 0; frequency < FREQUENCIES; frequency += 1) {
    for (let row = 0; row < SIDE; row += 1) {
      const factor = COSINES[frequency * SIDE + row] ?? 0;
      for (let column = 0; column < SIDE; column += 1)
        vertical[frequency * SIDE + column] =
          (vertical[frequency * SIDE + column] ?? 0) + factor * (reduced[row * SIDE + column] ?? 0);
    }
  }
  const frequencies = new Float32Array(FREQUENCIES * FREQUENCIES);
  for (let row = 0; row < FREQUENCIES; row += 1) {
    for (let column = 0; column < FREQUENCIES; column += 1) {
      let sum = 0;
      for (let index = 0; index < SIDE; index += 1)
        sum += (vertical[row * SIDE + index] ?? 0) * (COSINES[column * SIDE + index] ?? 0);
      frequencies[row * FREQUENCIES + column] = sum;
    }
  }
  return frequencies;
}
