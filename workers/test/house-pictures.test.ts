import { HOUSE_PICTURES } from '@alpenglow/domain';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { housePicture } from '../src/house-pictures.ts';

const numbers = Array.from({ length: HOUSE_PICTURES }, (_, index) => index + 1);

test('there are as many pictures as the domain names, no two alike, in portrait', async () => {
  const all = await Promise.all(numbers.map(housePicture));
  expect(new Set(all.map((bytes) => bytes.toString('base64'))).size).toBe(HOUSE_PICTURES);
  for (const bytes of all)
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 1500 });
});

test('a picture is the same every time it is drawn', async () => {
  expect(await housePicture(7)).toEqual(await housePicture(7));
});

test.each(numbers)('picture %i shows something: it is neither flat nor noise', async (number) => {
  const { channels, entropy } = await sharp(await housePicture(number)).stats();
  expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(20);
  expect(entropy).toBeLessThan(7.9);
});

test.each([0, HOUSE_PICTURES + 1, 1.5])('there is no picture %d', async (number) => {
  await expect(housePicture(number)).rejects.toThrow(RangeError);
});
