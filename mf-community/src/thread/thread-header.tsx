import { Link } from 'react-router-dom';
import { Badge, Button, LinkButton, PageHeading, useReport, useUser } from '@alpenglow/ui';
import { ModeratorMenu } from '../moderation/moderator-menu.tsx';
import { findPlace, getPlacePath } from '../places.ts';
import { useText } from '../text.ts';
import { FollowMenu } from './follow-menu.tsx';
import type { PostActions } from './post.tsx';
import type { ThreadWindow } from './thread-window.ts';
import type { ThreadReading } from './use-thread-reading.ts';
import styles from './thread.module.css';

interface ThreadHeaderProps {
  readonly thread: ThreadWindow['thread'];
  readonly title: string;
  readonly shown: ThreadReading['shown'];
  readonly actions: Pick<PostActions, 'onAsk' | 'onShowAgain'>;
  readonly onShare: () => void;
}

/** The title of a thread, its facts, and the actions on the whole thread. */
export function ThreadHeader({ thread, title, shown, actions, onShare }: ThreadHeaderProps) {
  const t = useText();
  const report = useReport();
  const user = useUser();
  const place = findPlace(thread.country, thread.state, thread.city);
  return (
    <header className={styles['head']}>
      <PageHeading documentTitle={`${title}, ${thread.city}`}>
        <bdi>{title}</bdi>
      </PageHeading>
      <p className={styles['facts']}>
        {thread.isPinned && <Badge tone="accent">{t('community.pinned')}</Badge>}
        {thread.isLocked && <Badge>{t('community.closed')}</Badge>}
        {thread.status === 'hidden' && <Badge tone="danger">{t('community.hidden')}</Badge>}
        {place && <Link to={getPlacePath(place)}>{thread.city}</Link>}
        <span>{t('community.replies', { count: thread.replyCount + shown.waiting })}</span>
      </p>
      <div className={styles['bar']}>
        {/* A hidden thread cannot be followed. */}
        {(thread.status !== 'hidden' || thread.follow !== null) && (
          <FollowMenu
            threadId={thread.id}
            mail={thread.follow}
            onChanged={(mail) => shown.put((current) => ({ ...current, thread: { ...current.thread, follow: mail } }))}
          />
        )}
        <Button size="small" onClick={onShare}>
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
            onHide={() => actions.onAsk('hide', thread.opening)}
            onShowAgain={() => actions.onShowAgain(thread.opening)}
            onChanged={shown.refresh}
          />
        )}
      </div>
    </header>
  );
}
