import { BASIC_STOCK_PICTURE_COUNT, STOCK_OWNER_ID, stockPictureId, media, photoBlobKeys } from '@alpenglow/domain';
import { uploadMedia } from '@alpenglow/domain/deciders';
import type { Dependencies } from './dependencies.ts';
import { systemOrigin } from './system-origin.ts';
import { readStockPicture } from './stock-pictures.ts';

const origin = systemOrigin('seed');

/**
 * Uploads the first `count` stock pictures, except those that exist. Demo ads need all of them. Several processes may
 * run this function at the same time.
 */
export async function seedStockPictures(
  { commands, blobs }: Dependencies<'commands' | 'blobs'>,
  count: number = BASIC_STOCK_PICTURE_COUNT,
): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const mediaId = stockPictureId(number);
    if ((await commands.load(media, mediaId)).state) continue;
    const jpeg = await readStockPicture(number);
    await blobs.put(photoBlobKeys.original(mediaId), jpeg);
    const file = { kind: 'photo', sizeBytes: jpeg.length, contentType: 'image/jpeg' } as const;
    await commands.execute(media, mediaId, uploadMedia, { mediaId, ownerId: STOCK_OWNER_ID, ...file }, origin);
  }
}
