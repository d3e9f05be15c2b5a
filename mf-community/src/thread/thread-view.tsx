import { useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import type { PostView } from '@alpenglow/domain/contracts';
import {
  ArrowUpIcon,
  Badge,
  Breadcrumbs,
  Button,
  ConfirmDialog,
  isApiError,
  layout,
  LinkButton,
  messageOf,
  Page,
  PageHeading,
  useApi,
  useHost,
  useLocale,
  useReport,
  useShare,
} from '@alpenglow/ui';
import { deletePost, hidePost, markHelpful } from '../api/requests.ts';
import { HideDialog } from '../moderation/hide-dialog.tsx';
import { ModeratorMenu } from '../moderation/moderator-menu.tsx';
import { getBreadcrumbs, findPlace, getPlacePath } from '../places.ts';
import { useText } from '../text.ts';
import { VerifiedOnly } from '../write/verified-only.tsx';
import { FollowMenu } from './follow-menu.tsx';
import { HistoryDialog } from './history-dialog.tsx';
import { Post, type PostActions, type PostDialog } from './post.tsx';
import { Replies } from './replies.tsx';
import { ReplyForm } from './reply-form.tsx';
import { setHelpfulMark, updatePost, type ThreadWindow } from './thread-window.ts';
import type { ThreadReading } from './use-thread-reading.ts';
import { getPostUrl } from './post-url.ts';
import styles from './thread.module.css';

export interface ThreadViewProps {
  readonly reading: ThreadReading;
  readonly window: ThreadWindow;
  readonly path: string;
}

/** The page of a thread with its opening post, its replies, and the actions on these posts. */
export function ThreadView({ reading, window, path }: ThreadViewProps) {
  const t = useText();
  const api = useApi();
  const locale = useLocale();
  const share = useShare({
    copied: t('community.linkCopied'),
    toCopy: (address) => t('community.linkToCopy', { address }),
  });
  const report = useReport();
  const { session, navigate, notify } = useHost();
  const [dialog, setDialog] = useState<{ readonly what: PostDialog; readonly post: PostView } | null>(null);
  const [quoted, setQuoted] = useState<PostView | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const [deleteProblem, setDeleteProblem] = useState<string | null>(null);
  /** Numbers of the posts whose helpful mark is being changed by a running request. */
  const marking = useRef(new Set<number>());
  const { shown, showPost } = reading;
  const { thread } = window;
  const user = session.state === 'authenticated' ? session.user : null;
  const place = findPlace(thread.country, thread.state, thread.city);
  const title = thread.title === '' ? t('community.threadWithoutTitle') : thread.title;
  const showError = (error: unknown) => notify({ text: messageOf(error, t('community.sendFailed')), tone: 'danger' });
  const onChanged = shown.refresh;

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
    if (!user)
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
  const remove = async (post: PostView) => {
    setDeleting(true);
    setDeleteProblem(null);
    try {
      await deletePost(api, thread.id, post.number);
      await onChanged();
      setDialog(null);
      notify({ text: t('community.isDeleted'), tone: 'success' });
    } catch (error) {
      // Status 404 means that the post was deleted in another tab, so the outdated data is fetched again.
      if (isApiError(error) && error.status === 404) await onChanged();
      setDeleteProblem(messageOf(error, t('community.sendFailed')));
    } finally {
      setDeleting(false);
    }
  };
  const quote = (post: PostView) => {
    setQuoted(post);
    const form = document.getElementById('reply');
    form?.scrollIntoView({ block: 'center' });
    form?.querySelector('textarea')?.focus({ preventScroll: true });
  };
  const hasForm = thread.canReply && user?.isEmailVerified === true;
  const actions: PostActions = {
    onHelpful: (post) => void mark(post),
    onQuote: hasForm ? quote : null,
    onShare: (post) => void share(getPostUrl(path, post.number), title),
    onAsk: (what, post) => setDialog({ what, post }),
    // A report of the opening post is a report of the whole thread.
    onReport: (post) => report(post.number === 0 ? { kind: 'thread', id: thread.id } : { kind: 'post', id: post.id }),
    onShowAgain: (post) => void showAgain(post),
    onEdited: onChanged,
  };

  return (
    <Page>
      <Breadcrumbs
        fromHome
        items={[
          { label: t('community'), to: '/community' },
          ...(place ? getBreadcrumbs(place, locale) : []),
          { label: title },
        ]}
      />
      <div className={styles['columns']}>
        <div className={layout['shrink']}>
          <header className={styles['head']}>
            <PageHeading documentTitle={`${title}, ${thread.city}`}>
              <bdi>{title}</bdi>
            </PageHeading>
            <p className={styles['facts']}>
              {thread.isPinned && <Badge tone="accent">{t('community.pinned')}</Badge>}
              {thread.isLocked && <Badge>{t('community.closed')}</Badge>}
              {thread.status === 'hidden' && <Badge tone="danger">{t('community.hidden')}</Badge>}
              {place && <Link to={getPlacePath(place)}>{thread.city}</Link>}
              <span>{t('community.replies', { count: thread.replyCount })}</span>
            </p>
            <div className={styles['bar']}>
              {/* A hidden thread cannot be followed. */}
              {(thread.status !== 'hidden' || thread.follow !== null) && (
                <FollowMenu
                  threadId={thread.id}
                  mail={thread.follow}
                  onChanged={(mail) =>
                    shown.put((current) => ({ ...current, thread: { ...current.thread, follow: mail } }))
                  }
                />
              )}
              <Button size="small" onClick={() => void share(path, title)}>
                {t('community.share')}
              </Button>
              {thread.lastNumber > 0 && (
                <LinkButton to="?post=last" size="small" variant="quiet" preventScrollReset>
                  {t('community.toLatest')}
                </LinkButton>
              )}
              {thread.opening.html === null && (
                <Button size="small" variant="quiet" onClick={() => report({ kind: 'thread', id: thread.id })}>
                  {t('community.reportThread')}
                </Button>
              )}
              {user?.isModerator && (
                <ModeratorMenu
                  thread={thread}
                  onHide={() => setDialog({ what: 'hide', post: thread.opening })}
                  onShowAgain={() => void showAgain(thread.opening)}
                  onChanged={onChanged}
                />
              )}
            </div>
          </header>
          <Post post={thread.opening} thread={thread} path={path} actions={actions} />
          <Replies reading={reading} window={window} path={path} actions={actions} />
          <div className={styles['reply']}>
            {thread.canReply ? (
              <VerifiedOnly>
                <ReplyForm
                  threadId={thread.id}
                  quoted={quoted}
                  onUnquote={() => setQuoted(null)}
                  onSent={async (number) => {
                    await shown.showNews();
                    showPost(number);
                  }}
                />
              </VerifiedOnly>
            ) : (
              <p className={styles['closed']}>
                {t(
                  thread.isLocked
                    ? 'community.closedText'
                    : thread.status === 'hidden'
                      ? 'community.hiddenNoReplies'
                      : 'community.noReplies',
                )}
              </p>
            )}
          </div>
        </div>
      </div>
      <div className={styles['pill']} role="status">
        {shown.waiting > 0 && (
          <Button
            variant="primary"
            size="small"
            onClick={() => {
              const first = Math.max(thread.lastNumber, 0) + 1;
              void shown.showNews().then(() => showPost(first));
            }}
          >
            <ArrowUpIcon style={{ rotate: '180deg' }} />
            {t('community.newReplies', { count: shown.waiting })}
          </Button>
        )}
      </div>
      {dialog?.what === 'history' && (
        <HistoryDialog threadId={thread.id} number={dialog.post.number} onClose={() => setDialog(null)} />
      )}
      {dialog?.what === 'hide' && (
        <HideDialog
          threadId={thread.id}
          post={dialog.post}
          onClose={() => setDialog(null)}
          onHidden={() => {
            const { post } = dialog;
            setDialog(null);
            notify({
              text: t('community.isHidden'),
              tone: 'success',
              action: { label: t('community.undo'), run: () => void showAgain(post) },
            });
            void onChanged();
          }}
        />
      )}
      <ConfirmDialog
        open={dialog?.what === 'delete'}
        title={t('community.deleteTitle')}
        confirmLabel={t('community.delete')}
        cancelLabel={t('common.cancel')}
        danger
        busy={isDeleting}
        problem={deleteProblem}
        onConfirm={() => dialog && void remove(dialog.post)}
        onCancel={() => {
          setDeleteProblem(null);
          setDialog(null);
        }}
      >
        <p>{dialog?.post.number === 0 ? t('community.deleteThreadText') : t('community.deleteText')}</p>
      </ConfirmDialog>
    </Page>
  );
}
