import { parse } from 'node:querystring';
import type { AdCountsAnswer, AdListAnswer } from '@alpenglow/domain';
import type { ReadModelProgress } from '@alpenglow/infra';
import type { AdReader } from './ad-reader.ts';
import { createListCache, type CachedAnswer } from './list-cache.ts';
import { parseListQuery, parsePlaceQuery, type ListQuery } from './list-query.ts';
import { AD_VIEWS } from './view-counter.ts';

/** What a list is made of: when one of these moves, kept answers go. */
const LISTED = new Set(['ad_cards', 'media_items', 'accounts', AD_VIEWS, 'all']);

/** Answers of lists and counts, from memory where the same was asked since the read models last moved. `search` is an address's query, without `?`; each rejects with INVALID_FIELDS. */
export interface ListAnswers {
  list(search: string, only?: Partial<ListQuery>): Promise<CachedAnswer>;
  counts(search: string): Promise<CachedAnswer>;
  stop(): void;
}

export function createListAnswers({ ads, progress }: { readonly ads: AdReader; readonly progress: ReadModelProgress }): ListAnswers {
  const cache = createListCache(() => progress.positionOf('ad_cards'));
  const stop = progress.onChange((projection) => {
    if (LISTED.has(projection)) cache.invalidate();
  });
  return {
    list: (search, only) =>
      cache.get(`list ${only ? JSON.stringify(only) : ''} ${search}`, async (): Promise<AdListAnswer> => {
        const { cards, nextCursor, total } = await ads.list({ ...parseListQuery(parse(search)), ...only });
        return { success: true, data: cards, nextCursor, total };
      }),
    counts: (search) => cache.get(`counts ${search}`, async (): Promise<AdCountsAnswer> => ({ success: true, data: await ads.counts(parsePlaceQuery(parse(search))) })),
    stop,
  };
}
