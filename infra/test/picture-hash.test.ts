import sharp from 'sharp';
import { expect, test } from 'vitest';
import { pictures } from '../../tests/support/pictures.ts';
import { readProperties } from '../decoder/pictures.mjs';

const readPictureProperties = (bytes: Buffer) => readProperties(bytes, { maxDecoded_bytes: 10_000_000 });

const bitsApart = (first: string, second: string) =>
  (BigInt(`0x${first}`) ^ BigInt(`0x${second}`)).toString(2).replaceAll('0', '').length;

test('a picture has nearly the same hash in another size or format; another picture has another hash', async () => {
  const { hash } = await readPictureProperties(await pictures.waves(1));
  expect(hash).toMatch(/^[0-9a-f]{16}$/u);
  expect(
    bitsApart(
      (
        await readPictureProperties(
          await sharp(await pictures.waves(1))
            .resize(320)
            .webp({ quality: 90 })
            .toBuffer(),
        )
      ).hash,
      hash,
    ),
  ).toBeLessThanOrEqual(3);
  expect(bitsApart((await readPictureProperties(await pictures.waves(2))).hash, hash)).toBeGreaterThan(10);
});

test('a picture of one color has a hash of zeros', async () => {
  const plain = await sharp({ create: { width: 50, height: 50, channels: 3, background: '#808080' } })
    .png()
    .toBuffer();
  expect((await readPictureProperties(plain)).hash).toBe('0000000000000000');
});
