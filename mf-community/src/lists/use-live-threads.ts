import { useEffect, useEffectEvent, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigationType } from 'react-router-dom';
import { communityKeys, useApi } from '@alpenglow/ui';
import { listThreads, type ThreadFilter } from '../api/calls.ts';
import type { ThreadPages } from '../api/queries.ts';
import { useThreadNews } from '../live/use-thread-news.ts';
import { cardsOf, isNewsFor } from './thread-pages.ts';

/** A list that was loaded within this time is not asked for again on arrival. */
const FRESH_ms = 30_000;

export interface LiveThreads {
  /** How many threads are new, or have news. */
  readonly waiting: number;
  /** Puts them in, at the top. Rejects with an `ApiError`. */
  readonly showWaiting: () => Promise<void>;
}

/** Keeps a list of threads true while it stands: news wait behind a pill, so that nothing moves under a finger; what was hidden or closed shows at once. */
export function useLiveThreads(filter: ThreadFilter): LiveThreads {
  const api = useApi();
  const queryClient = useQueryClient();
  const navigationType: string = useNavigationType();
  const queryKey = communityKeys.list(filter);
  const list = JSON.stringify(queryKey);
  const [news, setNews] = useState<{ readonly list: string; readonly ids: ReadonlySet<string> }>({
    list: '',
    ids: new Set(),
  });

  useThreadNews((messages) => {
    const shown = new Set(cardsOf(queryClient.getQueryData<ThreadPages>(queryKey)).map(({ id }) => id));
    const ids = messages.filter((message) => isNewsFor(message, filter, shown)).map(({ threadId }) => threadId);
    if (ids.length > 0)
      setNews((before) => ({ list, ids: new Set([...(before.list === list ? before.ids : []), ...ids]) }));
    if (messages.some(({ type, threadId }) => type === 'thread_changed' && shown.has(threadId)))
      void queryClient.invalidateQueries({ queryKey, exact: true });
    // Replies change no number of threads.
    if (messages.some(({ type }) => type !== 'reply_posted'))
      void queryClient.invalidateQueries({ queryKey: communityKeys.locations });
  });

  const arrive = useEffectEvent(() => {
    const state = queryClient.getQueryState(queryKey);
    // Back shows the list as it was left.
    if (navigationType === 'POP' || state?.data === undefined || Date.now() - state.dataUpdatedAt < FRESH_ms) return;
    void queryClient.invalidateQueries({ queryKey, exact: true });
  });
  useEffect(() => arrive(), [list]);

  const showWaiting = async () => {
    const fresh = await listThreads(api, filter, null);
    queryClient.setQueryData<ThreadPages>(queryKey, { pages: [fresh], pageParams: [null] });
    setNews({ list, ids: new Set() });
  };
  return { waiting: news.list === list ? news.ids.size : 0, showWaiting };
}
