import {
  comparePositions,
  type CommunityLocationsAnswer,
  type ThreadAnswer,
  type ThreadListAnswer,
} from '@alpenglow/domain';
import type { ReadModelProgress } from '@alpenglow/infra';
import type { Asked } from '../ads/list-answers.ts';
import { createListCache, type CachedAnswer } from '../ads/list-cache.ts';
import { parseThreadListQuery } from './thread-query.ts';
import { foundThread, type ThreadReader } from './thread-reader.ts';

/** What is told of threads is made of these: when one of them moves, kept answers go. */
const SHOWN = new Set(['community_threads', 'community_posts', 'accounts', 'all']);

/** Answers on threads as every visitor gets them, from memory where the same was asked since the read models last moved. */
export interface CommunityAnswers {
  /** `GET /community/threads`. Rejects with INVALID_FIELDS. */
  list(asked: Asked): Promise<CachedAnswer>;
  /** `GET /community/threads/{id}`. Rejects with THREAD_NOT_FOUND, INVALID_FIELDS. */
  thread(idOrSlug: string, asked: Asked): Promise<CachedAnswer>;
  /** `GET /community/locations`. */
  locations(): Promise<CachedAnswer>;
  stop(): void;
}

export function createCommunityAnswers({
  threads,
  progress,
}: {
  readonly threads: ThreadReader;
  readonly progress: ReadModelProgress;
}): CommunityAnswers {
  const cache = createListCache(() => {
    const [ofThreads, ofPosts] = [progress.positionOf('community_threads'), progress.positionOf('community_posts')];
    return comparePositions(ofThreads, ofPosts) < 0 ? ofThreads : ofPosts;
  });
  const stop = progress.onChange((projection) => {
    if (SHOWN.has(projection)) cache.invalidate();
  });
  return {
    list: ({ search, query }) =>
      cache.get(
        `list ${search}`,
        async (): Promise<ThreadListAnswer> => ({
          success: true,
          ...(await threads.list(parseThreadListQuery(query()))),
        }),
      ),
    thread: (idOrSlug, { search, query }) =>
      cache.get(
        `thread ${idOrSlug} ${search}`,
        async (): Promise<ThreadAnswer> => ({
          success: true,
          ...foundThread(await threads.find(idOrSlug, query(), null)),
        }),
      ),
    locations: () =>
      cache.get(
        'locations',
        async (): Promise<CommunityLocationsAnswer> => ({ success: true, data: await threads.locations() }),
      ),
    stop,
  };
}
