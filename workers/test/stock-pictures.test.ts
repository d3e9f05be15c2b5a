import { createHash } from 'node:crypto';
import { BASIC_STOCK_PICTURE_COUNT, STOCK_PICTURE_COUNT } from '@alpenglow/domain';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { readStockPicture } from '../src/stock-pictures.ts';

const numbers = Array.from({ length: STOCK_PICTURE_COUNT }, (_, index) => index + 1);

test('the domain’s number of stock pictures is at least forty, all different and in portrait format', async () => {
  expect(STOCK_PICTURE_COUNT).toBeGreaterThanOrEqual(40);
  const all = await Promise.all(numbers.map(readStockPicture));
  expect(new Set(all.map((bytes) => bytes.toString('base64'))).size).toBe(STOCK_PICTURE_COUNT);
  for (const [index, bytes] of all.entries())
    expect(await sharp(bytes).metadata()).toMatchObject({
      format: 'jpeg',
      ...(index < BASIC_STOCK_PICTURE_COUNT ? { width: 1200, height: 1500 } : { width: 800, height: 1000 }),
    });
});

test('the stock pictures have not changed, because running installations have stored them', async () => {
  const hash = createHash('sha256');
  for (const bytes of await Promise.all(numbers.map(readStockPicture))) hash.update(bytes);
  expect(hash.digest('hex')).toBe('e2ab8b9673facff182993d57291255a51dc1f0c6af77e29abffce40bf9923bef');
});

test.each(numbers)('stock picture %i is neither a plain color nor noise', async (number) => {
  const { channels, entropy } = await sharp(await readStockPicture(number)).stats();
  expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(20);
  expect(entropy).toBeLessThan(7.9);
});

test.each([0, STOCK_PICTURE_COUNT + 1, 1.5])('stock picture %d does not exist', async (number) => {
  await expect(readStockPicture(number)).rejects.toThrow(RangeError);
});
