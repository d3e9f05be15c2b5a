import type { JobQueue } from '@alpenglow/domain';
import type { PhotoDirectory, WaitingPhoto } from '@alpenglow/infra';

/** Longer than a photo takes when nothing is wrong and few wait before it. */
const MIN_AGE_ms = 2 * 60_000;
const PAGE = 500;

/**
 * Enqueues again the job of every photo that has waited for its verdict for some minutes, as the reactor once did: a job that is still
 * there, waiting or done, is not doubled, and one that was lost with its queue is there again. Answers how many photos wait.
 */
export async function resumePhotos({ photos, jobs }: { readonly photos: PhotoDirectory; readonly jobs: JobQueue }, now_ms: number, signal: AbortSignal): Promise<number> {
  const before = new Date(now_ms - MIN_AGE_ms);
  let waiting = 0;
  let after: WaitingPhoto | null = null;
  do {
    const page: readonly WaitingPhoto[] = await photos.waiting(before, { after, limit: PAGE });
    for (const { mediaId, uploadEventId } of page) {
      signal.throwIfAborted();
      await jobs.enqueue('photo-variants', { mediaId }, { jobId: uploadEventId });
    }
    waiting += page.length;
    after = page.length === PAGE ? (page.at(-1) ?? null) : null;
  } while (after);
  return waiting;
}
