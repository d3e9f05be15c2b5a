import type { JobKind, JobQueue, MediaKind } from '@alpenglow/domain';
import type { MediaDirectory, UnprocessedMedia } from '@alpenglow/infra';

/**
 * Age in ms of an upload after which its job is enqueued again. If the queue is short, jobs normally finish earlier.
 */
const MIN_AGE_ms = 2 * 60_000;
const PAGE = 500;
const JOBS = { photo: 'photo-variants', video: 'video-probe' } as const satisfies Record<MediaKind, JobKind>;

/**
 * Enqueues the job of each photo and video again if it was uploaded at least two minutes ago and is not processed yet.
 * The job has the same id as the first job. If the first job still exists, no second job is created. If the first job
 * was lost, it is replaced. Returns the number of these photos and videos. Rejects if `signal` aborts.
 */
export async function resumeMedia(
  { mediaDirectory, jobs }: { readonly mediaDirectory: MediaDirectory; readonly jobs: JobQueue },
  now_ms: number,
  signal: AbortSignal,
): Promise<number> {
  const before = new Date(now_ms - MIN_AGE_ms);
  let waiting = 0;
  let after: UnprocessedMedia | null = null;
  do {
    const page: readonly UnprocessedMedia[] = await mediaDirectory.findUnprocessedPage(before, { after, limit: PAGE });
    for (const { mediaId, kind, uploadEventId } of page) {
      signal.throwIfAborted();
      await jobs.enqueue(JOBS[kind], { mediaId }, { jobId: uploadEventId });
    }
    waiting += page.length;
    after = page.length === PAGE ? (page.at(-1) ?? null) : null;
  } while (after);
  return waiting;
}
