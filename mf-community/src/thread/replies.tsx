import type { ReactNode } from 'react';
import { Button, layout, LinkButton, VisuallyHidden } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { Post, type PostActions } from './post.tsx';
import {
  getFirstNumber,
  getLastNumber,
  getNextCursor,
  getPreviousCursor,
  getReplies,
  type ThreadWindow,
} from './thread-window.ts';
import type { ThreadReading } from './use-thread-reading.ts';
import styles from './thread.module.css';

export interface RepliesProps {
  readonly reading: ThreadReading;
  readonly window: ThreadWindow;
  readonly path: string;
  readonly actions: PostActions;
}

/** The loaded replies of a thread, with buttons that load earlier and later replies. */
export function Replies({ reading: { shown, endRef }, window, path, actions }: RepliesProps) {
  const t = useText();
  const { thread } = window;
  const replies = getReplies(window);
  const isPartial = getPreviousCursor(window) !== null || getNextCursor(window) !== null;
  const range: ReactNode =
    isPartial &&
    t('community.range', { first: getFirstNumber(window), last: getLastNumber(window), total: thread.lastNumber });
  return (
    <section aria-labelledby="replies" className={styles['replies']} aria-busy={shown.busy !== null}>
      <h2 id="replies">
        {thread.replyCount === 0 && replies.length === 0 ? (
          <VisuallyHidden>{t('community.repliesTitle')}</VisuallyHidden>
        ) : (
          t('community.repliesTitle')
        )}
      </h2>
      {replies.length === 0 && (
        <p className={layout['muted']}>{thread.canReply ? t('community.noRepliesYet') : t('community.noReplies')}</p>
      )}
      {getPreviousCursor(window) !== null && (
        <div className={styles['ways']}>
          <p>{range}</p>
          <LinkButton to={path} size="small" variant="quiet" preventScrollReset>
            {t('community.toFirst')}
          </LinkButton>
          <Button size="small" busy={shown.busy === 'earlier'} onClick={() => void shown.showEarlier()}>
            {t('community.loadEarlier')}
          </Button>
        </div>
      )}
      <ol role="list" className={styles['posts']}>
        {replies.map((post) => (
          <li key={post.number}>
            <Post post={post} thread={thread} path={path} actions={actions} />
          </li>
        ))}
      </ol>
      {getNextCursor(window) !== null && (
        <div className={styles['ways']}>
          <p>{range}</p>
          <Button size="small" busy={shown.busy === 'later'} onClick={() => void shown.showLater()}>
            {t('community.loadLater')}
          </Button>
          <LinkButton to="?post=last" size="small" variant="quiet" preventScrollReset>
            {t('community.toLatest')}
          </LinkButton>
        </div>
      )}
      <div ref={endRef} />
    </section>
  );
}
