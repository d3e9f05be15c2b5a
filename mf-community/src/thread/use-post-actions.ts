import { useRef } from 'react';
import type { PostView, ThreadView } from '@alpenglow/domain/contracts';
import { messageOf, useApi, useHost, useReport } from '@alpenglow/ui';
import { hidePost, markHelpful } from '../api/requests.ts';
import { useText } from '../text.ts';
import type { PostActions } from './post.tsx';
import { setHelpfulMark, updatePost } from './thread-window.ts';
import type { ThreadReading } from './use-thread-reading.ts';

interface PostActionsOptions extends Pick<PostActions, 'onAsk' | 'onQuote'> {
  readonly shown: ThreadReading['shown'];
  readonly thread: Pick<ThreadView, 'id'>;
  readonly path: string;
  readonly sharePost: (post: PostView) => void;
}

/**
 * Creates the actions on the posts of a thread. Owns which helpful marks are being changed. A changed mark is shown
 * before the request, and the change is undone if the request fails.
 */
export function usePostActions({ shown, thread, path, sharePost, onAsk, onQuote }: PostActionsOptions): PostActions {
  const t = useText();
  const api = useApi();
  const report = useReport();
  const { session, navigate, notify } = useHost();
  /** Numbers of the posts whose helpful mark is being changed by a running request. */
  const marking = useRef(new Set<number>());
  const onChanged = shown.refresh;
  const showError = (error: unknown) => notify({ text: messageOf(error, t('community.sendFailed')), tone: 'danger' });

  const showAgain = async (post: PostView) => {
    try {
      await hidePost(api, thread.id, post.number, false);
      await onChanged();
      notify({ text: t('community.isShownAgain'), tone: 'success' });
    } catch (error) {
      showError(error);
    }
  };
  const mark = async (post: PostView) => {
    if (session.state !== 'authenticated')
      return notify({
        text: t('community.loginToMark'),
        action: { label: t('common.login'), run: () => navigate('/login', { state: { from: path } }) },
      });
    // A second click on the same post is ignored until the first request is complete.
    if (marking.current.has(post.number)) return;
    marking.current.add(post.number);
    const isHelpful = !post.isHelpful;
    const setMark = (newMark: boolean) =>
      shown.put((current) => updatePost(current, post.number, (target) => setHelpfulMark(target, newMark)));
    setMark(isHelpful);
    try {
      await markHelpful(api, thread.id, post.number, isHelpful);
    } catch (error) {
      setMark(!isHelpful);
      showError(error);
    } finally {
      marking.current.delete(post.number);
    }
  };

  return {
    onHelpful: (post) => void mark(post),
    onQuote,
    onShare: sharePost,
    onAsk,
    // A report of the opening post is a report of the whole thread.
    onReport: (post) => report(post.number === 0 ? { kind: 'thread', id: thread.id } : { kind: 'post', id: post.id }),
    onShowAgain: (post) => void showAgain(post),
    onEdited: onChanged,
  };
}
