import sharp from 'sharp';

/**
 * The house pictures: mountains at dusk, drawn from a seed, so that every installation has the same ones and none has to
 * be shipped. No people, nothing explicit (product decisions, "Media").
 */

const WIDTH_px = 1200;
const HEIGHT_px = 1500;
const JPEG_QUALITY = 88;

type Colour = readonly [red: number, green: number, blue: number];

interface Scene {
  readonly seed: number;
  /** The sky from the zenith to the horizon. */
  readonly sky: readonly string[];
  /** Where the light comes from: across (0 to 1), down (0 to 1), and its colour. */
  readonly glow: { readonly x: number; readonly y: number; readonly colour: string };
  /** The lit peaks, and the ridge nearest to us; the ridges between are mixed from the two. */
  readonly peak: string;
  readonly near: string;
  /** What lies in the valleys. */
  readonly haze: string;
  readonly ridges: number;
  /** 0 for hills, 1 for crags. */
  readonly rough: number;
  /** How far down the highest ridge begins (0 to 1). */
  readonly horizon: number;
  readonly stars?: number;
  readonly disc?: { readonly x: number; readonly y: number; readonly radius: number; readonly colour: string };
  /** A lake from this height down (0 to 1), mirroring what is above. */
  readonly lake?: number;
}

const SCENES: readonly Scene[] = [
  {
    seed: 11,
    sky: ['#2b2350', '#6d2f63', '#c25a6b', '#f2a65a'],
    glow: { x: 0.68, y: 0.5, colour: '#ffd9a0' },
    peak: '#b04a6d',
    near: '#1a1430',
    haze: '#f0a07a',
    ridges: 6,
    rough: 0.75,
    horizon: 0.42,
  },
  {
    seed: 23,
    sky: ['#171a3d', '#3d2f6b', '#8e4a7f', '#f0a3a0'],
    glow: { x: 0.3, y: 0.56, colour: '#ffc9b8' },
    peak: '#a45a86',
    near: '#120f26',
    haze: '#d98aa0',
    ridges: 5,
    rough: 0.95,
    horizon: 0.38,
    stars: 90,
  },
  {
    seed: 37,
    sky: ['#3a2a5e', '#a8325f', '#e8735a', '#ffd08a'],
    glow: { x: 0.5, y: 0.52, colour: '#fff0c9' },
    peak: '#c0506a',
    near: '#2b1330',
    haze: '#ffb98a',
    ridges: 5,
    rough: 0.45,
    horizon: 0.5,
    disc: { x: 0.5, y: 0.47, radius: 0.085, colour: '#ffe9bf' },
  },
  {
    seed: 41,
    sky: ['#0f1530', '#232a5c', '#5a4486', '#c77a9b'],
    glow: { x: 0.75, y: 0.6, colour: '#f3b6c0' },
    peak: '#7d5a96',
    near: '#0b0d1f',
    haze: '#a06a9a',
    ridges: 6,
    rough: 0.85,
    horizon: 0.45,
    stars: 160,
    disc: { x: 0.27, y: 0.2, radius: 0.045, colour: '#fdf1e0' },
  },
  {
    seed: 53,
    sky: ['#34264f', '#7b3a6a', '#d9776b', '#f6c490'],
    glow: { x: 0.4, y: 0.42, colour: '#ffe3b8' },
    peak: '#a8506e',
    near: '#241634',
    haze: '#eba98c',
    ridges: 4,
    rough: 0.8,
    horizon: 0.34,
    lake: 0.66,
  },
  {
    seed: 67,
    sky: ['#4a2f63', '#b0496d', '#f08a6c', '#ffe0a8'],
    glow: { x: 0.85, y: 0.48, colour: '#fff3d1' },
    peak: '#d06a72',
    near: '#3a1838',
    haze: '#ffc79a',
    ridges: 7,
    rough: 0.3,
    horizon: 0.46,
  },
  {
    seed: 79,
    sky: ['#1b1d45', '#4d3a7a', '#a85a86', '#f5b79b'],
    glow: { x: 0.55, y: 0.4, colour: '#ffd8bd' },
    peak: '#94598c',
    near: '#151231',
    haze: '#c98aa5',
    ridges: 4,
    rough: 1,
    horizon: 0.32,
    lake: 0.62,
    stars: 60,
  },
  {
    seed: 83,
    sky: ['#2a1e3f', '#5c2750', '#a8325f', '#ef8d5f'],
    glow: { x: 0.2, y: 0.58, colour: '#ffbf80' },
    peak: '#8f2f58',
    near: '#160b1c',
    haze: '#c95a62',
    ridges: 6,
    rough: 0.6,
    horizon: 0.44,
  },
  {
    seed: 97,
    sky: ['#5a4a86', '#b078a4', '#f0b0a8', '#fde6c8'],
    glow: { x: 0.6, y: 0.46, colour: '#fffaf0' },
    peak: '#c389a6',
    near: '#4b3a68',
    haze: '#f6cdc0',
    ridges: 7,
    rough: 0.55,
    horizon: 0.38,
  },
  {
    seed: 101,
    sky: ['#101b33', '#1f3a5f', '#5d6a92', '#eab0a0'],
    glow: { x: 0.35, y: 0.6, colour: '#ffd4b0' },
    peak: '#6a6f9c',
    near: '#0c1424',
    haze: '#a98fa6',
    ridges: 6,
    rough: 0.7,
    horizon: 0.48,
    stars: 110,
  },
  {
    seed: 113,
    sky: ['#251a45', '#6a2a5e', '#d0556a', '#ffb37a'],
    glow: { x: 0.62, y: 0.6, colour: '#ffe0a8' },
    peak: '#a03a66',
    near: '#190f28',
    haze: '#e8806a',
    ridges: 3,
    rough: 0.9,
    horizon: 0.4,
    lake: 0.7,
    disc: { x: 0.62, y: 0.33, radius: 0.06, colour: '#ffdcae' },
  },
  {
    seed: 127,
    sky: ['#0e0f26', '#1f1c48', '#46306e', '#9a5585'],
    glow: { x: 0.48, y: 0.62, colour: '#e79ab0' },
    peak: '#5c4180',
    near: '#08081a',
    haze: '#7a4a80',
    ridges: 5,
    rough: 0.65,
    horizon: 0.5,
    stars: 240,
  },
];

/** House picture `number` (from 1) as a JPEG, 1200 × 1500 px. */
export async function housePicture(number: number): Promise<Buffer> {
  const scene = SCENES[number - 1];
  if (!scene) throw new RangeError(`There is no house picture ${number}`);
  return sharp(Buffer.from(draw(scene)))
    .flatten()
    .jpeg({ quality: JPEG_QUALITY })
    .toBuffer();
}

function draw(scene: Scene): string {
  const random = randomFrom(scene.seed);
  const land = scene.lake ?? 1;
  const above = [drawSky(scene, random), drawGlow(scene), drawRidges(scene, random, land)].join('');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH_px}" height="${HEIGHT_px}">` +
    (scene.lake === undefined ? above : `<g id="above">${above}</g>${drawLake(scene, scene.lake, random)}`) +
    '</svg>'
  );
}

function drawSky({ sky, stars = 0, disc }: Scene, random: () => number): string {
  const starry = Array.from({ length: stars }, () => {
    const [x, y, size] = [random() * WIDTH_px, random() ** 1.6 * HEIGHT_px * 0.55, 0.6 + random() ** 3 * 1.9];
    return `<circle cx="${round(x)}" cy="${round(y)}" r="${round(size)}" fill="#fff" opacity="${round(0.25 + random() * 0.65)}"/>`;
  });
  return rectangle(0, HEIGHT_px, linear('sky', sky)) + starry.join('') + (disc ? drawDisc(disc) : '');
}

function drawDisc({ x, y, radius, colour }: NonNullable<Scene['disc']>): string {
  const [cx, cy, r] = [x * WIDTH_px, y * HEIGHT_px, radius * WIDTH_px];
  const halo = radial('halo', [
    [0, colour, 0.45],
    [0.35, colour, 0.16],
    [1, colour, 0],
  ]);
  return `${halo.definition}<circle cx="${cx}" cy="${cy}" r="${r * 4.5}" fill="${halo.fill}"/><circle cx="${cx}" cy="${cy}" r="${r}" fill="${colour}"/>`;
}

function drawGlow({ glow }: Scene): string {
  const light = radial('glow', [
    [0, glow.colour, 0.85],
    [0.3, glow.colour, 0.4],
    [0.65, glow.colour, 0.1],
    [1, glow.colour, 0],
  ]);
  const [cx, cy] = [glow.x * WIDTH_px, glow.y * HEIGHT_px];
  return `${light.definition}<ellipse cx="${cx}" cy="${cy}" rx="${WIDTH_px * 0.9}" ry="${HEIGHT_px * 0.36}" fill="${light.fill}"/>`;
}

/** Ridges from far to near: each lower, darker and calmer than the one behind it, with haze rising between. */
function drawRidges(
  { peak, near, haze, ridges, rough, horizon, glow }: Scene,
  random: () => number,
  land: number,
): string {
  const foot = land * HEIGHT_px;
  return Array.from({ length: ridges }, (_, index) => {
    const nearness = ridges === 1 ? 0 : index / (ridges - 1);
    const top = (horizon + (land - horizon - 0.12) * nearness ** 1.15) * HEIGHT_px;
    const height = (0.24 - 0.13 * nearness) * HEIGHT_px * (0.55 + rough * 0.6);
    const line = ridgeLine(random, top, height, rough * (1 - nearness * 0.5));
    const colour = mix(peak, near, nearness ** 0.8);
    const lit = mix(colour, glow.colour, 0.42 * (1 - nearness) ** 1.5);
    const veiled = mix(colour, haze, 0.62 * (1 - nearness));
    const crest = Math.min(...line.map(([, y]) => y));
    const body = linear(`ridge${index}`, [lit, colour, veiled], crest, Math.min(foot, top + height * 1.5));
    return (
      body.definition +
      polygon(line, foot, body.fill) +
      drawFaces(line, height, mix(colour, near, 0.55), 0.34 * (1 - nearness) * rough)
    );
  }).join('');
}

/** The sides of the peaks that lie in shadow. */
function drawFaces(line: readonly Point[], height: number, shade: string, opacity: number): string {
  if (opacity < 0.04) return '';
  const reach = 5;
  const faces = line.flatMap(([x, y], index) => {
    const around = line.slice(Math.max(0, index - reach), index + reach + 1);
    if (index < reach || index > line.length - reach || around.some(([, other]) => other < y)) return [];
    const slope: Point[] = [[x, y]];
    for (let next = index + 1; next < line.length; next += 1) {
      const [nextX, nextY] = line[next] as Point;
      if (nextY < (slope.at(-1) as Point)[1] - 4 || nextY > y + height * 0.6) break;
      slope.push([nextX, nextY]);
    }
    const [endX, endY] = slope.at(-1) as Point;
    const drop = endY - y;
    if (endX - x < 18 || drop > (endX - x) * 1.5) return [];
    const inner: Point[] = [
      [x + (endX - x) * 0.42, endY + drop * 0.25],
      [x + (endX - x) * 0.2, y + drop * 0.78],
      [x + (endX - x) * 0.16, y + drop * 0.5],
      [x + (endX - x) * 0.02, y + drop * 0.3],
    ];
    return [`<path d="M${[...slope, ...inner].map(([px, py]) => `${round(px)} ${round(py)}`).join('L')}Z"/>`];
  });
  return `<g fill="${shade}" opacity="${round(opacity)}">${faces.join('')}</g>`;
}

function drawLake({ haze, near, glow }: Scene, shore: number, random: () => number): string {
  const y = shore * HEIGHT_px;
  const depth = linear(
    'depth',
    [
      [haze, 0.28],
      [near, 0.3],
      [near, 0.82],
    ],
    y,
    HEIGHT_px,
  );
  const light = radial('lake-light', [
    [0, glow.colour, 0.5],
    [1, glow.colour, 0],
  ]);
  const ripples = Array.from({ length: 46 }, (_, index) => {
    const nearness = (index + 1) / 46;
    const rippleY = y + 4 + nearness ** 1.7 * (HEIGHT_px - y);
    const width = (60 + random() * 260) * (0.4 + nearness);
    const x = glow.x * WIDTH_px + (random() - 0.5) * WIDTH_px * (0.35 + nearness * 0.9);
    return `<rect x="${round(x - width / 2)}" y="${round(rippleY)}" width="${round(width)}" height="${round(0.8 + nearness * 2)}" rx="1.5" opacity="${round(0.04 + random() * 0.16)}"/>`;
  });
  return (
    `<clipPath id="water"><rect x="0" y="${y}" width="${WIDTH_px}" height="${HEIGHT_px - y}"/></clipPath>` +
    `<g clip-path="url(#water)"><use href="#above" transform="translate(0 ${2 * y}) scale(1 -1)"/>` +
    rectangle(y, HEIGHT_px, depth) +
    `${light.definition}<ellipse cx="${glow.x * WIDTH_px}" cy="${y}" rx="${WIDTH_px * 0.4}" ry="${HEIGHT_px * 0.2}" fill="${light.fill}"/>` +
    `<g fill="${glow.colour}">${ripples.join('')}</g></g>`
  );
}

type Point = readonly [x: number, y: number];

/** A skyline by midpoint displacement: `rough` says how much of the height the finer steps keep. */
function ridgeLine(random: () => number, top: number, height: number, rough: number): readonly Point[] {
  let heights = [random(), random(), random(), random()];
  for (let step = 0, scale = 0.5; step < 6; step += 1, scale *= 0.34 + rough * 0.2) {
    heights = heights.flatMap((here, index) => {
      const next = heights[index + 1];
      return next === undefined ? [here] : [here, (here + next) / 2 + (random() - 0.5) * scale];
    });
  }
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  return heights.map((value, index) => [
    (index / (heights.length - 1)) * WIDTH_px,
    top + (1 - (value - low) / (high - low)) * height,
  ]);
}

function polygon(line: readonly Point[], foot: number, fill: string): string {
  const skyline = line.map(([x, y]) => `${round(x)} ${round(Math.min(y, foot))}`).join('L');
  return `<path d="M0 ${round(foot)}L${skyline}L${WIDTH_px} ${round(foot)}Z" fill="${fill}"/>`;
}

interface Paint {
  readonly definition: string;
  readonly fill: string;
}

function linear(
  id: string,
  stops: readonly (string | readonly [colour: string, opacity: number])[],
  from = 0,
  to = HEIGHT_px,
): Paint {
  const marks = stops.map((stop, index) => {
    const [colour, opacity] = typeof stop === 'string' ? [stop, 1] : stop;
    return `<stop offset="${round(index / (stops.length - 1))}" stop-color="${colour}" stop-opacity="${opacity}"/>`;
  });
  return {
    definition: `<linearGradient id="${id}" gradientUnits="userSpaceOnUse" x1="0" x2="0" y1="${round(from)}" y2="${round(to)}">${marks.join('')}</linearGradient>`,
    fill: `url(#${id})`,
  };
}

function radial(id: string, stops: readonly (readonly [offset: number, colour: string, opacity: number])[]): Paint {
  const marks = stops.map(
    ([offset, colour, opacity]) => `<stop offset="${offset}" stop-color="${colour}" stop-opacity="${opacity}"/>`,
  );
  return { definition: `<radialGradient id="${id}">${marks.join('')}</radialGradient>`, fill: `url(#${id})` };
}

function rectangle(from: number, to: number, { definition, fill }: Paint): string {
  return `${definition}<rect x="0" y="${from}" width="${WIDTH_px}" height="${to - from}" fill="${fill}"/>`;
}

function mix(a: string, b: string, share: number): string {
  const [from, to] = [colourOf(a), colourOf(b)];
  const mixed = from.map((channel, index) => Math.round(channel + ((to[index] ?? channel) - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function colourOf(hex: string): Colour {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Colour;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
