import { useId } from 'react';
import { Link } from 'react-router-dom';
import { threadPath, type ThreadCard } from '@alpenglow/domain/contracts';
import { Badge, classNames, Highlight, layout, PinIcon, TimeAgo } from '@alpenglow/ui';
import { useText } from '../text.ts';
import { AuthorName } from '../thread/author-name.tsx';
import styles from './thread-list.module.css';

export interface ThreadRowProps {
  readonly thread: ThreadCard;
  /** True if all threads of the list belong to one city, so that the name of the city is omitted. */
  readonly isOfOneCity?: boolean;
  readonly heading?: 'h3' | 'h4';
  /** Beginnings of the words that a search has found. */
  readonly words?: readonly string[];
}

const NO_WORDS: readonly string[] = [];

/** A thread in a list. One link covers the whole row. */
export function ThreadRow({ thread, isOfOneCity = false, heading: Heading = 'h3', words = NO_WORDS }: ThreadRowProps) {
  const t = useText();
  const id = useId();
  const title = thread.title === '' ? t('community.threadWithoutTitle') : thread.title;
  return (
    <article className={styles['row']} aria-labelledby={id}>
      <div className={styles['words']}>
        <Heading className={styles['title']}>
          <Link id={id} to={threadPath(thread)} className={classNames(layout['cover'], styles['link'])}>
            <bdi>
              <Highlight text={title} words={words} />
            </bdi>
          </Link>
        </Heading>
        {thread.excerpt !== '' && (
          <p className={styles['excerpt']} dir="auto">
            <Highlight text={thread.excerpt} words={words} />
          </p>
        )}
        <p className={styles['meta']}>
          {thread.isPinned && <Badge tone="accent">{t('community.pinned')}</Badge>}
          {thread.isLocked && <Badge>{t('community.closed')}</Badge>}
          {thread.status === 'hidden' && <Badge tone="danger">{t('community.hidden')}</Badge>}
          {!isOfOneCity && (
            <span className={styles['place']}>
              <PinIcon size={1} />
              {thread.city}
            </span>
          )}
          <span>
            <AuthorName author={thread.replyCount > 0 ? thread.lastPostBy : thread.author} /> ·{' '}
            <TimeAgo at={thread.lastPostAt} />
          </span>
        </p>
      </div>
      <p className={styles['replies']}>
        <strong>{t('community.number', { count: thread.replyCount })}</strong>{' '}
        <span>{t('community.repliesWord', { count: thread.replyCount })}</span>
      </p>
    </article>
  );
}
