import {
  HOUSE_OWNER,
  HOUSE_PICTURES,
  housePictureId,
  media,
  photoBlobs,
  uploadMedia,
  type BlobStore,
} from '@alpenglow/domain';
import type { CommandHandler, CommandOrigin } from '@alpenglow/infra';
import { housePicture } from './house-pictures.ts';

const origin: CommandOrigin = { actor: { kind: 'system', name: 'seed' }, correlationId: 'seed' };

/** Uploads the house pictures that are not there yet: what an ad without a photo shows. Running it again, or twice at once, changes nothing. */
export async function seedHousePictures({
  commands,
  blobs,
}: {
  readonly commands: CommandHandler;
  readonly blobs: BlobStore;
}): Promise<void> {
  for (let number = 1; number <= HOUSE_PICTURES; number += 1) {
    const mediaId = housePictureId(number);
    if ((await commands.load(media, mediaId)).state) continue;
    const jpeg = await housePicture(number);
    await blobs.put(photoBlobs.original(mediaId), jpeg);
    await commands.handle(
      media,
      mediaId,
      (state) =>
        uploadMedia(
          { mediaId, ownerId: HOUSE_OWNER, kind: 'photo', sizeBytes: jpeg.length, contentType: 'image/jpeg' },
          state,
        ),
      origin,
    );
  }
}
