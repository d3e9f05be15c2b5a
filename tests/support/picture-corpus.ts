import sharp from 'sharp';
import { randomNumbers } from './random.ts';

/**
 * Generates pictures with the composition of usual photos: a background with light, texture and objects, and a person
 * in the foreground. The same seed results in the same picture at any size.
 */

type Color = readonly [red: number, green: number, blue: number];

/** A rotated ellipse or rectangle. Positions and sizes are fractions of the width and height of the picture. */
interface Shape {
  readonly isEllipse: boolean;
  readonly x: number;
  readonly y: number;
  readonly halfWidth: number;
  readonly halfHeight: number;
  readonly angle: number;
  readonly color: Color;
}

const TEXTURE_SIDE = 256;
const OCTAVES = [4, 8, 16, 32, 64, 128];

/** Returns a repeating texture of 256 × 256 values around 0, whose large waves are stronger than its small ones. */
function createTexture(seed: number): Float32Array {
  const random = randomNumbers(seed);
  const texture = new Float32Array(TEXTURE_SIDE * TEXTURE_SIDE);
  for (const cells of OCTAVES) {
    const heights = Float32Array.from({ length: cells * cells }, () => (random() - 0.5) / cells);
    const at = (row: number, column: number) => heights[(row % cells) * cells + (column % cells)] ?? 0;
    for (let y = 0; y < TEXTURE_SIDE; y += 1) {
      const top = (y / TEXTURE_SIDE) * cells;
      const row = Math.floor(top);
      for (let x = 0; x < TEXTURE_SIDE; x += 1) {
        const left = (x / TEXTURE_SIDE) * cells;
        const column = Math.floor(left);
        const [down, across] = [top - row, left - column];
        const index = y * TEXTURE_SIDE + x;
        texture[index] =
          (texture[index] ?? 0) +
          (at(row, column) * (1 - across) + at(row, column + 1) * across) * (1 - down) +
          (at(row + 1, column) * (1 - across) + at(row + 1, column + 1) * across) * down;
      }
    }
  }
  return texture;
}

const TEXTURES = Array.from({ length: 16 }, (_, index) => createTexture(index + 1));

/** Paints the picture of a seed. Returns its pixels, with three values each. */
export function paintScene(seed: number, width: number, height: number): Uint8Array {
  const random = randomNumbers(seed * 7_919 + 13);
  const between = (low: number, high: number) => low + random() * (high - low);
  const color = (low: number, high: number): Color => [between(low, high), between(low, high), between(low, high)];
  const shape = (isEllipse: boolean, of: Partial<Shape>): Shape => ({
    isEllipse,
    x: random(),
    y: random(),
    halfWidth: between(0.03, 0.25),
    halfHeight: between(0.03, 0.25),
    angle: between(0, Math.PI),
    color: color(0, 255),
    ...of,
  });
  const [top, bottom] = [color(20, 235), color(20, 235)];
  const objects = Array.from({ length: 4 + Math.floor(random() * 10) }, () => shape(random() < 0.4, {}));
  const [pixels, light] = [new Uint8Array(width * height * 3), { x: random(), y: random(), power: between(20, 90) }];
  const texture = TEXTURES[Math.floor(random() * TEXTURES.length)] ?? new Float32Array();
  const grain = { x: random() * TEXTURE_SIDE, y: random() * TEXTURE_SIDE, scale: between(60, 240) };
  const strength = between(200, 800);
  for (let row = 0; row < height; row += 1) {
    const y = (row + 0.5) / height;
    for (let column = 0; column < width; column += 1) {
      const x = (column + 0.5) / width;
      const grainRow = Math.floor(grain.y + y * grain.scale) % TEXTURE_SIDE;
      const grainColumn = Math.floor(grain.x + x * grain.scale) % TEXTURE_SIDE;
      const shade =
        (texture[grainRow * TEXTURE_SIDE + grainColumn] ?? 0) * strength +
        light.power * (0.5 - Math.hypot(x - light.x, y - light.y));
      for (let channel = 0; channel < 3; channel += 1)
        pixels[(row * width + column) * 3 + channel] = clamp(
          (top[channel] ?? 0) * (1 - y) + (bottom[channel] ?? 0) * y + shade,
        );
    }
  }
  for (const object of [...objects, ...personOf(between, shape)]) paintShape(pixels, width, height, object);
  return pixels;
}

/** Returns the shapes of a standing or lying person: body, head, hair, arms and legs. */
function personOf(
  between: (low: number, high: number) => number,
  shape: (isEllipse: boolean, of: Partial<Shape>) => Shape,
): readonly Shape[] {
  const [x, y, size, lean] = [between(0.25, 0.75), between(0.35, 0.65), between(0.15, 0.4), between(-0.8, 0.8)];
  const tone = between(70, 230);
  const skin: Color = [tone, tone * 0.8, tone * 0.7];
  const part = (along: number, aside: number, halfWidth: number, halfHeight: number, angle: number, of: Color) =>
    shape(true, {
      x: x + size * (along * Math.sin(lean) + aside * Math.cos(lean)),
      y: y + size * (-along * Math.cos(lean) + aside * Math.sin(lean)),
      halfWidth: halfWidth * size,
      halfHeight: halfHeight * size,
      angle: angle + lean,
      color: of,
    });
  const clothes: Color = [between(0, 255), between(0, 255), between(0, 255)];
  const hair: Color = [between(0, 200), between(0, 120), between(0, 80)];
  const limb = (along: number, aside: number) => part(along, aside, 0.13, 0.55, between(-0.7, 0.7), skin);
  return [
    limb(-1, -0.2),
    limb(-1, 0.2),
    part(0, 0, 0.38, 0.75, between(-0.1, 0.1), clothes),
    limb(0.2, -0.45),
    limb(0.2, 0.45),
    part(1.05, between(-0.05, 0.05), 0.3, 0.4, 0, hair),
    part(1, 0, 0.22, 0.3, 0, skin),
  ];
}

function paintShape(pixels: Uint8Array, width: number, height: number, shape: Shape): void {
  const { isEllipse, x, y, halfWidth, halfHeight, angle, color } = shape;
  const reach = Math.hypot(halfWidth, halfHeight);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const firstRow = Math.max(0, Math.floor((y - reach) * height));
  const lastRow = Math.min(height - 1, Math.ceil((y + reach) * height));
  const firstColumn = Math.max(0, Math.floor((x - reach) * width));
  const lastColumn = Math.min(width - 1, Math.ceil((x + reach) * width));
  for (let row = firstRow; row <= lastRow; row += 1) {
    for (let column = firstColumn; column <= lastColumn; column += 1) {
      const [dx, dy] = [(column + 0.5) / width - x, (row + 0.5) / height - y];
      const across = (dx * cos + dy * sin) / halfWidth;
      const along = (dy * cos - dx * sin) / halfHeight;
      const distance = isEllipse ? across * across + along * along : Math.max(Math.abs(across), Math.abs(along));
      if (distance > 1) continue;
      // A shape is lighter on one side, like a lit body.
      const light = 1 - 0.25 * across;
      const at = (row * width + column) * 3;
      for (let channel = 0; channel < 3; channel += 1) pixels[at + channel] = clamp((color[channel] ?? 0) * light);
    }
  }
}

const clamp = (value: number) => Math.min(255, Math.max(0, Math.round(value)));

/** Returns the picture of a seed as a JPEG of a camera. */
export function photoOf(seed: number, width = 800, height = 600): Promise<Buffer> {
  return sharp(paintScene(seed, width, height), { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
}

/** A change that a copy of a picture has undergone. `random` returns numbers from 0 to below 1. */
export type Edit = (picture: Buffer, random: () => number) => Promise<Buffer>;

/** Removes these shares of the width and the height, at places that `random` decides. */
function crop(across: number, down: number): Edit {
  return async (picture, random) => {
    const { width, height } = await sharp(picture).metadata();
    const [restWidth, restHeight] = [Math.round(width * (1 - across)), Math.round(height * (1 - down))];
    return sharp(picture)
      .extract({
        left: Math.round(random() * (width - restWidth)),
        top: Math.round(random() * (height - restHeight)),
        width: restWidth,
        height: restHeight,
      })
      .jpeg({ quality: 85 })
      .toBuffer();
  };
}

/** Removes 5 % at each side. */
const cropEverySide: Edit = (picture) => crop(0.1, 0.1)(picture, () => 0.5);

/** The edits that the recognition is measured on (decision 0118). */
export const EDITS = {
  identical: (picture) => Promise.resolve(picture),
  'resized to a quarter': (picture) => sharp(picture).resize(200).jpeg({ quality: 85 }).toBuffer(),
  'resized, other proportions': (picture) =>
    sharp(picture).resize(640, 540, { fit: 'fill' }).jpeg({ quality: 85 }).toBuffer(),
  'JPEG with quality 40': (picture) => sharp(picture).jpeg({ quality: 40 }).toBuffer(),
  'WebP with quality 50': (picture) => sharp(picture).webp({ quality: 50 }).toBuffer(),
  'cropped by 5 % of the width and the height': crop(0.05, 0.05),
  'cropped by 5 % of the width': crop(0.05, 0),
  'cropped by 5 % at every side': cropEverySide,
  mirrored: (picture) => sharp(picture).flop().jpeg({ quality: 85 }).toBuffer(),
  'mirrored and cropped by 5 %': async (picture, random) =>
    sharp(await crop(0.05, 0.05)(picture, random))
      .flop()
      .jpeg({ quality: 85 })
      .toBuffer(),
  'lighter, less color': (picture) =>
    sharp(picture).modulate({ brightness: 1.15, saturation: 0.5 }).jpeg({ quality: 85 }).toBuffer(),
  'with a white bar': async (picture) => {
    const { width, height } = await sharp(picture).metadata();
    const bar = { width: Math.round(width * 0.4), height: Math.round(height * 0.08) };
    return sharp(picture)
      .composite([
        {
          input: { create: { ...bar, channels: 3, background: '#ffffff' } },
          left: Math.round(width * 0.05),
          top: Math.round(height * 0.85),
        },
      ])
      .jpeg({ quality: 85 })
      .toBuffer();
  },
} as const satisfies Record<string, Edit>;

export type EditName = keyof typeof EDITS;
