import type { JobKind, JobQueue, MediaKind } from '@alpenglow/domain';
import type { MediaDirectory, WaitingMedia } from '@alpenglow/infra';

/** Longer than a photo or video takes when nothing is wrong and few wait before it. */
const MIN_AGE_ms = 2 * 60_000;
const PAGE = 500;
const JOBS = { photo: 'photo-variants', video: 'video-probe' } as const satisfies Record<MediaKind, JobKind>;

/**
 * Enqueues again the job of every photo and video that has waited for its verdict for some minutes, as the reactor once did: a job that is still
 * there, waiting or done, is not doubled, and one that was lost with its queue is there again. Answers how many wait.
 */
export async function resumeMedia(
  { directory, jobs }: { readonly directory: MediaDirectory; readonly jobs: JobQueue },
  now_ms: number,
  signal: AbortSignal,
): Promise<number> {
  const before = new Date(now_ms - MIN_AGE_ms);
  let waiting = 0;
  let after: WaitingMedia | null = null;
  do {
    const page: readonly WaitingMedia[] = await directory.waiting(before, { after, limit: PAGE });
    for (const { mediaId, kind, uploadEventId } of page) {
      signal.throwIfAborted();
      await jobs.enqueue(JOBS[kind], { mediaId }, { jobId: uploadEventId });
    }
    waiting += page.length;
    after = page.length === PAGE ? (page.at(-1) ?? null) : null;
  } while (after);
  return waiting;
}
