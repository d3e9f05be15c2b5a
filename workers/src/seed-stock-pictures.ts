import { STOCK_OWNER_ID, STOCK_PICTURE_COUNT, stockPictureId, media, photoBlobKeys } from '@alpenglow/domain';
import { uploadMedia } from '@alpenglow/domain/deciders';
import type { Dependencies } from './dependencies.ts';
import { systemOrigin } from './system-origin.ts';
import { readStockPicture } from './stock-pictures.ts';

const origin = systemOrigin('seed');

/**
 * Uploads the stock pictures that are missing. Ads without photos show stock pictures. Several processes may run this
 * function at the same time.
 */
export async function seedStockPictures({ commands, blobs }: Dependencies<'commands' | 'blobs'>): Promise<void> {
  for (let number = 1; number <= STOCK_PICTURE_COUNT; number += 1) {
    const mediaId = stockPictureId(number);
    if ((await commands.load(media, mediaId)).state) continue;
    const jpeg = await readStockPicture(number);
    await blobs.put(photoBlobKeys.original(mediaId), jpeg);
    const file = { kind: 'photo', sizeBytes: jpeg.length, contentType: 'image/jpeg' } as const;
    await commands.execute(media, mediaId, uploadMedia, { mediaId, ownerId: STOCK_OWNER_ID, ...file }, origin);
  }
}
