import { useCallback, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { THREAD_ID, threadCodeIn, threadCodeOf } from '@alpenglow/domain/contracts';
import { communityKeys, messageOf, useApi, useHost, useUser, type Api } from '@alpenglow/ui';
import { readThread } from '../api/calls.ts';
import { useThreadNews } from '../live/use-thread-news.ts';
import { useText } from '../text.ts';
import {
  CHUNKS_MAX,
  firstNumberOf,
  hasPost,
  isAtEnd,
  lastNumberOf,
  nextCursorOf,
  previousCursorOf,
  windowOf,
  withEarlier,
  withLater,
  withNews,
  type ThreadWindow,
} from './thread-window.ts';

/** A post, the end of the thread, or its beginning (null). */
export type Target = number | 'last' | null;

/** The same thread under each of its addresses. */
const codeOf = (idOrSlug: string): string =>
  THREAD_ID.test(idOrSlug) ? threadCodeOf(idOrSlug) : (threadCodeIn(idOrSlug) ?? idOrSlug);

export const threadKey = (idOrSlug: string, viewer: string | null) => communityKeys.thread(codeOf(idOrSlug), viewer);

export const isShown = (window: ThreadWindow, target: Target): boolean => {
  if (target === null) return previousCursorOf(window) === null;
  if (target === 'last') return isAtEnd(window);
  return hasPost(window, target) || (isAtEnd(window) && target > lastNumberOf(window));
};

/** A thread, of which a part is shown; what it can be asked for, and what comes by itself. */
export function useThread(idOrSlug: string, target: Target, isReaderAtEnd: () => boolean) {
  const t = useText();
  const api = useApi();
  const { session, notify } = useHost();
  const queryClient = useQueryClient();
  const viewer = useUser()?.id ?? null;
  const key = threadKey(idOrSlug, viewer);
  const [busy, setBusy] = useState<'earlier' | 'later' | 'jump' | null>(null);
  const [newest, setNewest] = useState(0);
  const kept = () => queryClient.getQueryData<ThreadWindow>(key);
  const cursorOf = (end: (window: ThreadWindow) => string | null) => {
    const window = kept();
    return window ? end(window) : null;
  };
  const put = (change: (window: ThreadWindow) => ThreadWindow) =>
    queryClient.setQueryData<ThreadWindow>(key, (window) => window && change(window));

  const query = useQuery({
    queryKey: key,
    enabled: session.state !== 'unknown',
    queryFn: async ({ signal }) => {
      const window = kept();
      return window
        ? refreshed(api, idOrSlug, window, signal)
        : windowOf(await readThread(api, idOrSlug, target === null ? null : { post: target }, signal));
    },
  });

  /** Says what went wrong; true when all went well. */
  const during = async (what: NonNullable<typeof busy>, work: () => Promise<void>): Promise<boolean> => {
    setBusy(what);
    try {
      await work();
      return true;
    } catch (error) {
      notify({ text: messageOf(error, t('community.threadFailed')), tone: 'danger' });
      return false;
    } finally {
      setBusy(null);
    }
  };
  const showEarlier = () =>
    during('earlier', async () => {
      const cursor = cursorOf(previousCursorOf);
      if (cursor === null) return;
      const answer = await readThread(api, idOrSlug, { cursor });
      put((window) => (previousCursorOf(window) === cursor ? withEarlier(window, answer) : window));
    });
  const showLater = () =>
    during('later', async () => {
      const cursor = cursorOf(nextCursorOf);
      if (cursor === null) return;
      const answer = await readThread(api, idOrSlug, { cursor });
      put((window) => (nextCursorOf(window) === cursor ? withLater(window, answer) : window));
    });
  const jump = (to: Target) =>
    during('jump', async () => {
      const answer = await readThread(api, idOrSlug, to === null ? null : { post: to });
      queryClient.setQueryData<ThreadWindow>(key, windowOf(answer));
    });
  /** Puts in what has been written since, at the end. */
  const showNews = () =>
    during('later', async () => {
      const window = kept();
      if (!window) return;
      if (isAtEnd(window)) {
        const answer = await readThread(api, idOrSlug, { post: lastNumberOf(window) + 1 });
        const grown = withNews(kept() ?? window, answer);
        if (grown) return void queryClient.setQueryData<ThreadWindow>(key, grown);
      }
      queryClient.setQueryData<ThreadWindow>(key, windowOf(await readThread(api, idOrSlug, { post: 'last' })));
    });
  const refresh = useCallback(() => queryClient.invalidateQueries({ queryKey: communityKeys.all }), [queryClient]);

  useThreadNews((messages) => {
    const window = kept();
    const here = messages.filter(({ threadId }) => threadId === window?.thread.id);
    if (!window || here.length === 0) return;
    if (here.some(({ type }) => type === 'thread_changed'))
      void queryClient.invalidateQueries({ queryKey: key, exact: true });
    const number = Math.max(
      0,
      ...here.flatMap((message) =>
        message.type === 'reply_posted' && message.number !== null ? [message.number] : [],
      ),
    );
    if (number <= Math.max(lastNumberOf(window), window.thread.lastNumber)) return;
    const wait = () => setNewest((before) => Math.max(before, number));
    if (isAtEnd(window) && isReaderAtEnd()) void showNews().then((isShown) => isShown || wait());
    else wait();
  });

  const window = query.data;
  return {
    query,
    window,
    busy,
    /** Replies that have come since, and wait to be shown. */
    waiting: window ? Math.max(0, newest - Math.max(window.thread.lastNumber, lastNumberOf(window))) : 0,
    put,
    /** What is shown by now, also between two renderings. */
    latest: kept,
    showEarlier,
    showLater,
    showNews,
    jump,
    refresh,
  };
}

export type ShownThread = ReturnType<typeof useThread>;

/** What is shown, as it is now. */
async function refreshed(api: Api, idOrSlug: string, kept: ThreadWindow, signal: AbortSignal): Promise<ThreadWindow> {
  const [first, last] = [firstNumberOf(kept), lastNumberOf(kept)];
  let window = windowOf(await readThread(api, idOrSlug, first > 1 ? { post: first } : null, signal));
  for (
    let cursor = nextCursorOf(window);
    cursor !== null && lastNumberOf(window) < last && window.chunks.length < CHUNKS_MAX;
    cursor = nextCursorOf(window)
  ) {
    window = withLater(window, await readThread(api, idOrSlug, { cursor }, signal));
  }
  return window;
}
