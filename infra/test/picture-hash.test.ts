import { areSimilar, NO_PICTURE_FEATURES, toHashWords, toSearchHashes } from '@alpenglow/domain';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { EDITS, photoOf, type EditName } from '../../tests/support/picture-corpus.ts';
import { hashOfSmallScene, RECOGNIZED_MIN } from '../../tests/support/picture-hashes.ts';
import { randomNumbers } from '../../tests/support/random.ts';
import { Volume } from '../../tests/support/volume.ts';
import { NO_FEATURES } from '../../domain/src/contracts/pdq.mjs';
import { readProperties } from '../decoder/pictures.mjs';
import { createPictureIndex } from '../src/adapters/known-images/picture-index.ts';

const hashesOf = async (picture: Buffer) => (await readProperties(picture, { maxDecoded_bytes: 100_000_000 })).hashes;

const OTHER_PICTURES = 5_000;

describe('copies of listed pictures', () => {
  test('are recognized after edits, and no other picture is', async () => {
    const volume = new Volume({ name: 'pictures', short: 25, minimum: 50, maximum: 300, time_s: 60 });
    const others = Array.from({ length: OTHER_PICTURES }, (_, index) => hashOfSmallScene(1_000_000 + index));
    const photos: Buffer[] = [];
    while (volume.takeNext()) photos.push(await photoOf(photos.length + 1));
    const listed = [...others, ...(await Promise.all(photos.map(hashesOf))).map(([hash = '']) => hash)];
    const list = createPictureIndex(Uint32Array.from(listed.flatMap((hash) => [...toHashWords(hash)])));
    const random = randomNumbers(11);
    for (const [name, target] of Object.entries(RECOGNIZED_MIN)) {
      const found: (number | null)[] = [];
      for (const photo of photos)
        found.push(list.find(toSearchHashes(await hashesOf(await EDITS[name as EditName](photo, random)))));
      const recognized = found.filter((index, photo) => index === OTHER_PICTURES + photo);
      expect(recognized.length / photos.length, name).toBeGreaterThanOrEqual(target);
      // No other listed picture is found.
      expect(
        found.filter((index, photo) => index !== null && index !== OTHER_PICTURES + photo),
        name,
      ).toEqual([]);
    }
    for (let seed = 0; seed < photos.length; seed += 1)
      expect(list.find(toSearchHashes(await hashesOf(await photoOf(500_000 + seed))))).toBeNull();
  });
});

describe('the hash of a picture', () => {
  test('is nearly the same in another size or format, and another one for another picture', async () => {
    const [whole = ''] = await hashesOf(await photoOf(1));
    const smaller = await sharp(await photoOf(1))
      .resize(320)
      .webp({ quality: 90 })
      .toBuffer();
    const [hash = ''] = await hashesOf(smaller);
    expect(areSimilar(toHashWords(hash), toHashWords(whole))).toBe(true);
    const [other = ''] = await hashesOf(await photoOf(2));
    expect(areSimilar(toHashWords(other), toHashWords(whole))).toBe(false);
  });

  test('is empty for a picture of one color, and such pictures are not similar', async () => {
    const plain = await sharp({ create: { width: 50, height: 50, channels: 3, background: '#808080' } })
      .png()
      .toBuffer();
    expect(await hashesOf(plain)).toEqual([NO_PICTURE_FEATURES]);
    expect(NO_FEATURES).toBe(NO_PICTURE_FEATURES);
    expect(toSearchHashes(await hashesOf(plain))).toEqual([]);
  });
});
