import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { makeVariants } from '../../infra/decoder/pictures.mjs';
import { photosWithHiddenParts, pngWithHiddenPicture, SECRET } from '../support/hidden-pictures.ts';

/** A photo contains more than a viewer shows. Only the shown picture is published (R-5.18, T-16). */

const options = { widths_px: [64, 32], formats: ['avif', 'webp', 'jpg'], maxDecoded_bytes: 200_000_000 };

/** Checks that a picture has only green and, where it was transparent, white pixels. */
async function expectNothingRed(picture: Buffer): Promise<void> {
  const { data, info } = await sharp(picture).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  for (let at = 0; at < data.length; at += info.channels) {
    const [red = 0, green = 0] = [data[at], data[at + 1]];
    expect(red, `red ${red}, green ${green} at byte ${at}`).toBeLessThanOrEqual(green + 20);
  }
}

describe('only the shown picture is published of a photo with', () => {
  test.each(Object.entries(photosWithHiddenParts))('%s', async (_name, make) => {
    const { variants, blur } = await makeVariants(await make(), options);
    expect(variants).toHaveLength(6);
    for (const { bytes } of variants) {
      expect(bytes.includes(SECRET)).toBe(false);
      const { exif, xmp, iptc, comments, pages = 1 } = await sharp(bytes).metadata();
      expect({ exif, xmp, iptc, comments, pages }).toEqual({ pages: 1 });
      await expectNothingRed(bytes);
    }
    await expectNothingRed(Buffer.from(blur.split(',')[1] ?? '', 'base64'));
  });
});

test('an animated PNG whose picture is not a frame of the animation is rejected', async () => {
  await expect(makeVariants(await pngWithHiddenPicture(), options)).rejects.toMatchObject({
    code: 'FILE_NOT_READABLE',
  });
});
