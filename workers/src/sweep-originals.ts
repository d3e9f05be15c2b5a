import { media, photoBlobs, type BlobStore } from '@alpenglow/domain';
import type { CommandHandler } from '@alpenglow/infra';

/** Longer than any upload takes, so that one still arriving is left alone. */
const MIN_AGE_ms = 60 * 60_000;

/**
 * Removes originals nobody waits for: of uploads whose process was killed before their event was written, and of photos that
 * have their verdict. Returns how many.
 */
export async function sweepOriginals({ blobs, commands }: { blobs: BlobStore; commands: CommandHandler }, now_ms: number): Promise<number> {
  const folder = photoBlobs.original('');
  let removed = 0;
  for await (const { key, modifiedAt_ms } of blobs.list(folder)) {
    if (now_ms - modifiedAt_ms < MIN_AGE_ms) continue;
    const { state } = await commands.load(media, key.slice(folder.length));
    if (state?.status === 'processing') continue;
    await blobs.remove(key);
    removed += 1;
  }
  return removed;
}
