import sharp from 'sharp';
import { expect, test } from 'vitest';
import { factsOf } from '../src/make-variants.ts';

const WIDTH_px = 640;
const HEIGHT_px = 480;

/** Grey waves, which no two seeds have in common. */
function picture(seed: number) {
  const data = Buffer.from(Array.from({ length: WIDTH_px * HEIGHT_px }, (_, at) => Math.round(127 + 120 * Math.sin((at % WIDTH_px) / (40 + seed * 9) + Math.floor(at / WIDTH_px) / (30 + seed * 17)))));
  return sharp(data, { raw: { width: WIDTH_px, height: HEIGHT_px, channels: 1 } });
}

const bitsApart = (one: string, other: string) => (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll('0', '').length;

test('the same picture has nearly the same hash at another size and in another format; another one has another', async () => {
  const { hash } = await factsOf(await picture(1).png().toBuffer());
  expect(hash).toMatch(/^[0-9a-f]{16}$/u);
  expect(bitsApart((await factsOf(await picture(1).resize(320).webp({ quality: 90 }).toBuffer())).hash, hash)).toBeLessThanOrEqual(3);
  expect(bitsApart((await factsOf(await picture(2).png().toBuffer())).hash, hash)).toBeGreaterThan(10);
});

test('a picture of one colour has the hash that says nothing', async () => {
  const plain = await sharp({ create: { width: 50, height: 50, channels: 3, background: '#808080' } }).png().toBuffer();
  expect((await factsOf(plain)).hash).toBe('0000000000000000');
});
