import { media, photoBlobs, rejectMedia, type BlobStore } from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';

/**
 * Ends the wait for a photo nobody works on any more: it is rejected as broken off, and its bytes go. One that has its verdict
 * keeps it. The original goes last: while it is there, the sweep comes by again. Rejects, and gives up nothing, while the store cannot
 * answer: the photo may be made yet.
 */
export async function giveUpPhoto({ blobs, commands }: { blobs: BlobStore; commands: CommandHandler }, mediaId: string): Promise<void> {
  await blobs.info(photoBlobs.original(mediaId));
  const { state } = await commands.handle(
    media,
    mediaId,
    (known) => (known ? rejectMedia({ code: 'UPLOAD_BROKEN_OFF' }, known) : []),
    { actor: { kind: 'system', name: 'give-up-photo' }, correlationId: mediaId },
  );
  if (state?.status !== 'ready') await blobs.remove(photoBlobs.variants(mediaId));
  await blobs.remove(photoBlobs.original(mediaId));
}
