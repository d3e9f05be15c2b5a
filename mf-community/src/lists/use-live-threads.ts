import { useEffect, useEffectEvent, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigationType } from 'react-router-dom';
import { communityKeys, useApi, usePacer } from '@alpenglow/ui';
import { listThreads, type ThreadFilter } from '../api/requests.ts';
import type { ThreadPages } from '../api/queries.ts';
import { useThreadMessages } from '../live/use-thread-messages.ts';
import { getCards, isRelevantFor } from './thread-pages.ts';

/** The age up to which the data of a list is not fetched again when the list is opened. */
const FRESH_ms = 30_000;

/**
 * Updates a list of threads with live messages. New threads and replies are only counted in `waiting`, so that nothing
 * moves while the visitor reads. Hidden and closed threads are fetched again, at limited intervals. New
 * threads are not part of a list that begins with a later page, the one with the cursor `start`.
 */
export function useLiveThreads(filter: ThreadFilter, start: string | null) {
  const api = useApi();
  const queryClient = useQueryClient();
  const navigationType: string = useNavigationType();
  const queryKey = communityKeys.list(filter, start);
  const list = JSON.stringify(queryKey);
  const [newThreads, setNewThreads] = useState<{ readonly list: string; readonly ids: ReadonlySet<string> }>({
    list: '',
    ids: new Set(),
  });

  const { country, state, city } = filter;
  const topic = {
    kind: 'threads',
    ...(country && { country }),
    ...(state && { state }),
    ...(city && { city }),
  } as const;
  const refetch = usePacer<'list' | 'locations'>((outdated) => {
    if (outdated.includes('list')) void queryClient.invalidateQueries({ queryKey, exact: true });
    if (outdated.includes('locations')) void queryClient.invalidateQueries({ queryKey: communityKeys.locations });
  });
  useThreadMessages(
    (messages) => {
      const shown = new Set(getCards(queryClient.getQueryData<ThreadPages>(queryKey)).map(({ id }) => id));
      const newPosts = start === null ? messages.filter((message) => isRelevantFor(message, filter, shown)) : [];
      const ids = newPosts.map(({ threadId }) => threadId);
      if (ids.length > 0)
        setNewThreads((before) => ({ list, ids: new Set([...(before.list === list ? before.ids : []), ...ids]) }));
      if (messages.some(({ type, threadId }) => type === 'thread_changed' && shown.has(threadId))) refetch('list');
      // A new reply does not change the numbers of threads per place, so these numbers are fetched only after other
      // messages.
      if (messages.some(({ type }) => type !== 'reply_posted')) refetch('locations');
    },
    { topics: [topic], queryKey },
  );

  const onOpened = useEffectEvent(() => {
    const state = queryClient.getQueryState(queryKey);
    // After the Back button, the list is not fetched again, so that it is the same as before.
    if (navigationType === 'POP' || state?.data === undefined || Date.now() - state.dataUpdatedAt < FRESH_ms) return;
    void queryClient.invalidateQueries({ queryKey, exact: true });
  });
  useEffect(() => onOpened(), [list]);

  /** Fetches the first page again, so that the waiting threads are at the top. Rejects with an `ApiError`. */
  const showWaiting = async () => {
    const fresh = await listThreads(api, filter, null);
    queryClient.setQueryData<ThreadPages>(queryKey, { pages: [fresh], pageParams: [null] });
    setNewThreads({ list, ids: new Set() });
  };
  return { waiting: newThreads.list === list ? newThreads.ids.size : 0, showWaiting };
}
