import { media, originalBlob, preservedBlob, rejectMedia, shownBlobs, type BlobStore } from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';

/**
 * Ends the wait for a photo or video nobody works on any more: it is rejected as broken off, or as the known picture it was found to be, and its bytes go. One that has its verdict
 * keeps it. The original goes last: while it is there, the sweep comes by again. Rejects, and gives up nothing, while the store cannot
 * answer: the work may be done yet.
 */
export async function giveUpMedia(
  { blobs, commands }: { blobs: BlobStore; commands: CommandHandler },
  mediaId: string,
): Promise<void> {
  await blobs.info(originalBlob(mediaId));
  // Its job may have died between preserving it and saying so.
  const code = (await blobs.info(preservedBlob(mediaId))) ? 'PHOTO_NOT_USABLE' : 'UPLOAD_BROKEN_OFF';
  const { state } = await commands.handle(media, mediaId, (known) => (known ? rejectMedia({ code }, known) : []), {
    actor: { kind: 'system', name: 'give-up-media' },
    correlationId: mediaId,
  });
  if (state && state.status !== 'ready') await blobs.remove(shownBlobs[state.kind](mediaId));
  await blobs.remove(originalBlob(mediaId));
}
