import type { JobKind, JobQueue, MediaKind } from '@alpenglow/domain';
import type { MediaDirectory, UnprocessedMedia } from '@alpenglow/infra';

/** Age after which a job is enqueued again. With a short queue, processing normally takes less time. */
const MIN_AGE_ms = 2 * 60_000;
const PAGE = 500;
const JOBS = { photo: 'photo-variants', video: 'video-probe' } as const satisfies Record<MediaKind, JobKind>;

/**
 * Enqueues the job of each photo and video again if it has been processing for at least two minutes. The job
 * has the same id as the job of the reactor. A job that still exists is therefore not duplicated, and a lost
 * job is replaced. Returns the number of these photos and videos. Rejects if `signal` aborts.
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
