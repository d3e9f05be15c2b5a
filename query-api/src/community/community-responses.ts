import { comparePositions, type ResponseOf } from '@alpenglow/domain';
import type { QueryOf } from '@alpenglow/domain/api';
import type { Dependencies } from '../dependencies.ts';
import type { CacheableQuery } from '../ads/list-responses.ts';
import { createListCache, type CachedResponse } from '../ads/response-cache.ts';
import { toThreadListQuery } from './thread-query.ts';
import { requireThread, type ThreadReader } from './thread-reader.ts';

/**
 * The read models from which responses with community threads are created. A change in one of these read models
 * invalidates the cached responses.
 */
const COMMUNITY_READ_MODELS = new Set(['community_threads', 'community_posts', 'accounts', 'all']);

/**
 * The functions that return the API responses with community threads for visitors. A response is cached until the read
 * models change.
 */
export type CommunityResponses = ReturnType<typeof createCommunityResponses>;

export function createCommunityResponses({
  threads,
  progress,
}: Dependencies<'progress'> & { readonly threads: ThreadReader }) {
  const cache = createListCache(() => {
    const [threadsMark, postsMark] = [progress.getMark('community_threads'), progress.getMark('community_posts')];
    return comparePositions(threadsMark.position, postsMark.position) < 0 ? threadsMark : postsMark;
  });
  const stop = progress.onChange((projection) => {
    if (COMMUNITY_READ_MODELS.has(projection)) cache.invalidate();
  });
  return {
    /** `GET /community/threads`: returns a page of threads. Rejects with INVALID_FIELDS. */
    list: ({ search, query }: CacheableQuery<QueryOf<'listThreads'>>): Promise<CachedResponse> =>
      cache.get(
        `list ${search}`,
        async (): Promise<ResponseOf<'listThreads'>> => ({
          success: true,
          ...(await threads.list(toThreadListQuery(query()))),
        }),
      ),
    /**
     * `GET /community/threads/{id}`: returns a thread with a page of its replies. Rejects with THREAD_NOT_FOUND,
     * INVALID_FIELDS.
     */
    thread: (idOrSlug: string, { search, query }: CacheableQuery<QueryOf<'getThread'>>): Promise<CachedResponse> =>
      cache.get(
        `thread ${idOrSlug} ${search}`,
        async (): Promise<ResponseOf<'getThread'>> => ({
          success: true,
          ...requireThread(await threads.find(idOrSlug, query, null)),
        }),
      ),
    /** `GET /community/locations`: returns all places with the number of threads in each place. */
    locations: (): Promise<CachedResponse> =>
      cache.get(
        'locations',
        async (): Promise<ResponseOf<'listCommunityLocations'>> => ({
          success: true,
          data: await threads.listLocations(),
        }),
      ),
    stop,
  };
}
