import { createHash } from 'node:crypto';
import { STOCK_PICTURE_COUNT } from '@alpenglow/domain';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { readStockPicture } from '../src/stock-pictures.ts';

const numbers = Array.from({ length: STOCK_PICTURE_COUNT }, (_, index) => index + 1);

test('the domain’s number of stock pictures exists, all different and in portrait format', async () => {
  const all = await Promise.all(numbers.map(readStockPicture));
  expect(new Set(all.map((bytes) => bytes.toString('base64'))).size).toBe(STOCK_PICTURE_COUNT);
  for (const bytes of all)
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 1500 });
});

test('the stock pictures have not changed, because running installations have stored them', async () => {
  const hash = createHash('sha256');
  for (const bytes of await Promise.all(numbers.map(readStockPicture))) hash.update(bytes);
  expect(hash.digest('hex')).toBe('e4fca2d9f58cb5c0d1dd5952a4cdb2e0466888d802e513919d2bae2f7dfbcd83');
});

test.each(numbers)('stock picture %i is neither a plain color nor noise', async (number) => {
  const { channels, entropy } = await sharp(await readStockPicture(number)).stats();
  expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(20);
  expect(entropy).toBeLessThan(7.9);
});

test.each([0, STOCK_PICTURE_COUNT + 1, 1.5])('stock picture %d does not exist', async (number) => {
  await expect(readStockPicture(number)).rejects.toThrow(RangeError);
});
