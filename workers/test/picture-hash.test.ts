import sharp from 'sharp';
import { expect, test } from 'vitest';
import { pictures } from '../../tests/support/pictures.ts';
import { factsOf } from '../src/make-variants.ts';

const bitsApart = (one: string, other: string) =>
  (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(2).replaceAll('0', '').length;

test('the same picture has nearly the same hash at another size and in another format; another one has another', async () => {
  const { hash } = await factsOf(await pictures.waves(1));
  expect(hash).toMatch(/^[0-9a-f]{16}$/u);
  expect(
    bitsApart(
      (
        await factsOf(
          await sharp(await pictures.waves(1))
            .resize(320)
            .webp({ quality: 90 })
            .toBuffer(),
        )
      ).hash,
      hash,
    ),
  ).toBeLessThanOrEqual(3);
  expect(bitsApart((await factsOf(await pictures.waves(2))).hash, hash)).toBeGreaterThan(10);
});

test('a picture of one colour has the hash that says nothing', async () => {
  const plain = await sharp({ create: { width: 50, height: 50, channels: 3, background: '#808080' } })
    .png()
    .toBuffer();
  expect((await factsOf(plain)).hash).toBe('0000000000000000');
});
