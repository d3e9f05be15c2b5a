import { useCallback, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { THREAD_ID, parseThreadCode, createThreadCode } from '@alpenglow/domain/contracts';
import { communityKeys, messageOf, useApi, useHost, usePacer, useUser, type Api } from '@alpenglow/ui';
import { readThread } from '../api/requests.ts';
import { useThreadMessages } from '../live/use-thread-messages.ts';
import { useText } from '../text.ts';
import {
  CHUNKS_MAX,
  getFirstNumber,
  hasPost,
  isAtEnd,
  getLastNumber,
  getNextCursor,
  getPreviousCursor,
  createWindow,
  addEarlierReplies,
  addLaterReplies,
  addNewReplies,
  type ThreadWindow,
} from './thread-window.ts';

/** The post that is shown first. `'last'` is the end of the thread, and null is its beginning. */
export type PostTarget = number | 'last' | null;

/**
 * Returns the short code of a thread. The id and all slugs of a thread have the same code, so they share one cache
 * entry.
 */
const codeOf = (idOrSlug: string): string =>
  THREAD_ID.test(idOrSlug) ? createThreadCode(idOrSlug) : (parseThreadCode(idOrSlug) ?? idOrSlug);

const threadKey = (idOrSlug: string, viewer: string | null) => communityKeys.thread(codeOf(idOrSlug), viewer);

export const isTargetLoaded = (window: ThreadWindow, target: PostTarget): boolean => {
  if (target === null) return getPreviousCursor(window) === null;
  if (target === 'last') return isAtEnd(window);
  return hasPost(window, target) || (isAtEnd(window) && target > getLastNumber(window));
};

/**
 * Loads a thread in parts and updates it through the live channel. Returns the loaded part and functions to load more.
 */
export function useThread(idOrSlug: string, target: PostTarget, isReaderAtEnd: () => boolean) {
  const t = useText();
  const api = useApi();
  const { session, notify } = useHost();
  const queryClient = useQueryClient();
  const viewer = useUser()?.id ?? null;
  const key = threadKey(idOrSlug, viewer);
  const [busy, setBusy] = useState<'earlier' | 'later' | 'jump' | null>(null);
  const [newest, setNewest] = useState(0);
  const currentWindow = () => queryClient.getQueryData<ThreadWindow>(key);
  const put = (change: (window: ThreadWindow) => ThreadWindow) =>
    queryClient.setQueryData<ThreadWindow>(key, (window) => window && change(window));

  const query = useQuery({
    queryKey: key,
    enabled: session.state !== 'unknown',
    // The view of an anonymous visitor, which the first HTML contains, is shown until the view of the user is loaded.
    placeholderData: () => queryClient.getQueryData<ThreadWindow>(threadKey(idOrSlug, null)),
    queryFn: async ({ signal }) => {
      const window = currentWindow();
      return window
        ? fetchAgain(api, idOrSlug, window, signal)
        : createWindow(await readThread(api, idOrSlug, target === null ? null : { post: target }, signal));
    },
  });

  /** Sets `busy` while `work` runs. If `work` fails, shows the error and resolves to false. */
  const runBusy = async (activity: NonNullable<typeof busy>, work: () => Promise<void>): Promise<boolean> => {
    setBusy(activity);
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
  const showMore = (activity: 'earlier' | 'later', cursorOf: typeof getNextCursor, add: typeof addLaterReplies) =>
    runBusy(activity, async () => {
      const window = currentWindow();
      const cursor = window ? cursorOf(window) : null;
      if (cursor === null) return;
      const response = await readThread(api, idOrSlug, { cursor });
      put((current) => (cursorOf(current) === cursor ? add(current, response) : current));
    });
  const jump = (to: PostTarget) =>
    runBusy('jump', async () => {
      const response = await readThread(api, idOrSlug, to === null ? null : { post: to });
      queryClient.setQueryData<ThreadWindow>(key, createWindow(response));
    });
  /** Loads the replies that were posted since the last load, and shows them at the end of the thread. */
  const showNews = () =>
    runBusy('later', async () => {
      const window = currentWindow();
      if (!window) return;
      if (isAtEnd(window)) {
        const response = await readThread(api, idOrSlug, { post: getLastNumber(window) + 1 });
        const extended = addNewReplies(currentWindow() ?? window, response);
        if (extended) return void queryClient.setQueryData<ThreadWindow>(key, extended);
      }
      queryClient.setQueryData<ThreadWindow>(key, createWindow(await readThread(api, idOrSlug, { post: 'last' })));
    });
  const refresh = useCallback(() => queryClient.invalidateQueries({ queryKey: communityKeys.all }), [queryClient]);

  const threadId = query.data?.thread.id;
  /** Handles changes of the thread (`'changed'`) and the numbers of new replies, at limited intervals. */
  const update = usePacer<'changed' | number>((changes) => {
    if (changes.includes('changed')) void queryClient.invalidateQueries({ queryKey: key, exact: true });
    const number = Math.max(0, ...changes.filter((change) => change !== 'changed'));
    const window = currentWindow();
    if (!window || number <= Math.max(getLastNumber(window), window.thread.lastNumber)) return;
    const countAsWaiting = () => setNewest((before) => Math.max(before, number));
    if (isAtEnd(window) && isReaderAtEnd()) void showNews().then((isShown) => isShown || countAsWaiting());
    else countAsWaiting();
  });
  useThreadMessages(
    (messages) => {
      const window = currentWindow();
      const ownMessages = messages.filter(({ threadId }) => threadId === window?.thread.id);
      if (!window || ownMessages.length === 0) return;
      if (ownMessages.some(({ type }) => type === 'thread_changed')) update('changed');
      const number = Math.max(
        0,
        ...ownMessages.flatMap((message) =>
          message.type === 'reply_posted' && message.number !== null ? [message.number] : [],
        ),
      );
      if (number <= Math.max(getLastNumber(window), window.thread.lastNumber)) return;
      if (isAtEnd(window) && isReaderAtEnd()) update(number);
      else setNewest((before) => Math.max(before, number));
    },
    { topics: threadId === undefined ? [] : [{ kind: 'thread', threadId }], queryKey: key },
  );

  const window = query.data;
  return {
    query,
    window,
    busy,
    /** Number of new replies that are not displayed yet. */
    waiting: window ? Math.max(0, newest - Math.max(window.thread.lastNumber, getLastNumber(window))) : 0,
    put,
    /** Returns the loaded part of the thread, with changes that are not rendered yet. */
    latest: currentWindow,
    showEarlier: () => showMore('earlier', getPreviousCursor, addEarlierReplies),
    showLater: () => showMore('later', getNextCursor, addLaterReplies),
    showNews,
    jump,
    refresh,
  };
}

/** Fetches all loaded replies again, so that they are up to date. */
async function fetchAgain(
  api: Api,
  idOrSlug: string,
  currentWindow: ThreadWindow,
  signal: AbortSignal,
): Promise<ThreadWindow> {
  const [first, last] = [getFirstNumber(currentWindow), getLastNumber(currentWindow)];
  let window = createWindow(await readThread(api, idOrSlug, first > 1 ? { post: first } : null, signal));
  for (
    let cursor = getNextCursor(window);
    cursor !== null && getLastNumber(window) < last && window.chunks.length < CHUNKS_MAX;
    cursor = getNextCursor(window)
  ) {
    window = addLaterReplies(window, await readThread(api, idOrSlug, { cursor }, signal));
  }
  return window;
}
