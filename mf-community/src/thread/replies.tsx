import type { ReactNode } from 'react';
import { layout, LinkButton, MoreLink, VisuallyHidden } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { getPostUrl } from './post-url.ts';
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

/** The loaded replies of a thread, with links that load earlier and later replies. */
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
      {replies.length === 0 && shown.waiting === 0 && (
        <p className={layout['muted']}>{thread.canReply ? t('community.noRepliesYet') : t('community.noReplies')}</p>
      )}
      {getPreviousCursor(window) !== null && (
        <div className={styles['ways']}>
          <p>{range}</p>
          <LinkButton to={path} size="small" variant="quiet" preventScrollReset>
            {t('community.toFirst')}
          </LinkButton>
          <MoreLink
            to={getPostUrl(path, getFirstNumber(window) - 1)}
            rel="prev"
            size="small"
            busy={shown.busy === 'earlier'}
            onMore={() => void shown.showEarlier()}
          >
            {t('community.loadEarlier')}
          </MoreLink>
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
          {/* The URL names the next reply instead of a cursor, as all other links to replies do. */}
          <MoreLink
            to={getPostUrl(path, getLastNumber(window) + 1)}
            rel="next"
            size="small"
            busy={shown.busy === 'later'}
            onMore={() => void shown.showLater()}
          >
            {t('community.loadLater')}
          </MoreLink>
          <LinkButton to="?post=last" size="small" variant="quiet" preventScrollReset>
            {t('community.toLatest')}
          </LinkButton>
        </div>
      )}
      <div ref={endRef} />
    </section>
  );
}
