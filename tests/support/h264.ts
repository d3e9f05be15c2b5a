/** Writes the bits of H.264 units. */
class BitWriter {
  private readonly bits: number[] = [];

  /** Writes `value` with a fixed number of bits. */
  fixed(value: number, count: number): this {
    for (let bit = count - 1; bit >= 0; bit -= 1) this.bits.push((value >> bit) & 1);
    return this;
  }

  /** Writes values with the variable length of H.264 (Exp-Golomb). */
  variable(...values: readonly number[]): this {
    for (const value of values) {
      const length = Math.floor(Math.log2(value + 1));
      this.fixed(0, length).fixed(value + 1, length + 1);
    }
    return this;
  }

  align(): this {
    while (this.bits.length % 8 !== 0) this.bits.push(0);
    return this;
  }

  /** Returns the bytes. Ends the unit with its stop bit. */
  end(): Buffer {
    this.fixed(1, 1).align();
    return Buffer.from(
      Array.from({ length: this.bits.length / 8 }, (_, index) =>
        this.bits.slice(index * 8, index * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
      ),
    );
  }
}

/** Returns a unit of this type. Inserts a byte where the content would otherwise look like the start of a unit. */
function h264Unit(type: number, content: Buffer): Buffer {
  const bytes = [type];
  let zeros = 0;
  for (const byte of content) {
    if (zeros >= 2 && byte <= 3) {
      bytes.push(3);
      zeros = 0;
    }
    bytes.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return Buffer.from(bytes);
}

const BLOCK_px = 16;
const BLOCK_bytes = 384;

/**
 * Returns the parameter sets of H.264 and one picture, which contains the values of its pixels without compression.
 * `frame` is a key picture. `deltaFrame` is the same picture, but a player cannot start at it. Width and height are
 * multiples of 16.
 */
export function h264({ width, height }: { readonly width: number; readonly height: number }) {
  const [columns, rows] = [width / BLOCK_px, height / BLOCK_px];
  const sequence = new BitWriter()
    .fixed(66, 8)
    .fixed(0xc0, 8)
    .fixed(40, 8)
    .variable(0, 0, 2, 1)
    .fixed(0, 1)
    .variable(columns - 1, rows - 1)
    .fixed(0b1100, 4)
    .end();
  const picture = new BitWriter()
    .variable(0, 0)
    .fixed(0, 2)
    .variable(0, 0, 0)
    .fixed(0, 3)
    .variable(0, 0, 0)
    .fixed(0b100, 3)
    .end();
  const withPixels = (slice: BitWriter) => {
    for (let block = 0; block < columns * rows; block += 1) {
      slice.variable(25).align();
      for (let index = 0; index < BLOCK_bytes; index += 1) slice.fixed(0x60 + (block % 64), 8);
    }
    return slice.end();
  };
  const keyHeader = new BitWriter().variable(0, 7, 0).fixed(0, 4).variable(0).fixed(0, 2).variable(0, 1);
  const deltaHeader = new BitWriter().variable(0, 7, 0).fixed(1, 4).fixed(0, 1).variable(0, 1);
  return {
    sequence: h264Unit(0x67, sequence),
    picture: h264Unit(0x68, picture),
    frame: h264Unit(0x65, withPixels(keyHeader)),
    deltaFrame: h264Unit(0x41, withPixels(deltaHeader)),
  };
}
