import type { AdCountsAnswer, AdListAnswer } from '@alpenglow/domain';
import type { ReadModelProgress } from '@alpenglow/infra';
import type { AdReader } from './ad-reader.ts';
import { createListCache, type CachedAnswer } from './list-cache.ts';
import { parseListQuery, parsePlaceQuery, type ListQuery } from './list-query.ts';
import { AD_VIEWS } from './view-counter.ts';

/** What a list is made of: when one of these moves, kept answers go. */
const LISTED = new Set(['ad_cards', 'media_items', 'accounts', AD_VIEWS, 'all']);

/** The query of an address. It is parsed only when no answer is kept for it. */
export interface Asked {
  /** As it came, without `?`. */
  readonly search: string;
  readonly query: () => unknown;
}

/** Answers of lists and counts, from memory where the same was asked since the read models last moved. Each rejects with INVALID_FIELDS. */
export interface ListAnswers {
  list(asked: Asked, only?: Partial<ListQuery>): Promise<CachedAnswer>;
  counts(asked: Asked): Promise<CachedAnswer>;
  stop(): void;
}

export function createListAnswers({
  ads,
  progress,
}: {
  readonly ads: AdReader;
  readonly progress: ReadModelProgress;
}): ListAnswers {
  const cache = createListCache(() => progress.positionOf('ad_cards'));
  const stop = progress.onChange((projection) => {
    if (LISTED.has(projection)) cache.invalidate();
  });
  return {
    list: ({ search, query }, only) =>
      cache.get(`list ${only ? JSON.stringify(only) : ''} ${search}`, async (): Promise<AdListAnswer> => {
        const { cards, nextCursor, total } = await ads.list({ ...parseListQuery(query()), ...only });
        return { success: true, data: cards, nextCursor, total };
      }),
    counts: ({ search, query }) =>
      cache.get(
        `counts ${search}`,
        async (): Promise<AdCountsAnswer> => ({ success: true, data: await ads.counts(parsePlaceQuery(query())) }),
      ),
    stop,
  };
}
