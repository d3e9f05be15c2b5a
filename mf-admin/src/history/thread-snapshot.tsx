import type { ThreadSnapshotView } from '@alpenglow/domain/contracts';
import { Badge, Button, layout, useLocale } from '@alpenglow/ui';
import { FactList } from './fact-list.tsx';
import { formatTime } from './labels.ts';
import { useText } from '../text.ts';
import styles from './history.module.css';

const POSTS_PER_PAGE = 50;

export interface ThreadSnapshotProps {
  readonly thread: ThreadSnapshotView;
  /** Number of posts before the first shown post. */
  readonly from: number;
  readonly onFromChange: (from: number) => void;
}

/** The fields and the posts of a thread at a selected time. */
export function ThreadSnapshot({ thread, from, onFromChange }: ThreadSnapshotProps) {
  const t = useText();
  const locale = useLocale();
  const { title, city, state, startedAt, postCount, isLocked, isPinned, isHidden, posts } = thread;
  return (
    <>
      <p className={styles['badges']}>
        {isHidden && <Badge tone="danger">{t('field.isHidden')}</Badge>}
        {isLocked && <Badge>{t('field.isLocked')}</Badge>}
        {isPinned && <Badge tone="accent">{t('field.isPinned')}</Badge>}
      </p>
      <FactList
        facts={[
          ['title', title],
          ['city', `${city}, ${state}`],
          ['startedAt', startedAt],
          ['postCount', postCount],
        ]}
      />
      <ol role="list" aria-label={t('field.posts')} className={styles['reviews']}>
        {posts.map(({ number, status, body, postedAt, editedAt }) => (
          <li key={number}>
            <p>
              <strong>#{number}</strong> · <time dateTime={postedAt}>{formatTime(locale, postedAt)}</time>
              {editedAt !== null && <> · {t('history.edited', { time: formatTime(locale, editedAt) })}</>}{' '}
              {status !== 'visible' && <Badge tone="danger">{t(`value.${status}`)}</Badge>}
            </p>
            <p className={styles['words']}>{body === '' ? t('history.gone') : body}</p>
          </li>
        ))}
      </ol>
      {postCount > POSTS_PER_PAGE && (
        <div className={layout['row2']}>
          <Button size="small" disabled={from === 0} onClick={() => onFromChange(Math.max(0, from - POSTS_PER_PAGE))}>
            {t('history.previousPosts')}
          </Button>
          <Button
            size="small"
            disabled={from + POSTS_PER_PAGE >= postCount}
            onClick={() => onFromChange(from + POSTS_PER_PAGE)}
          >
            {t('history.nextPosts')}
          </Button>
        </div>
      )}
    </>
  );
}
