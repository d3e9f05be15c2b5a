import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import type { ThreadAsOfView } from '@alpenglow/domain/contracts';
import { Badge, Button, Card, useApi, useLocale } from '@alpenglow/ui';
import { threadAsOfQuery } from './calls.ts';
import { FactList } from './fact-list.tsx';
import { HistoryFrame } from './history-frame.tsx';
import { timeText } from './labels.ts';
import { useText } from './text.ts';
import { useMoments } from './use-moments.ts';
import styles from './history.module.css';

const POSTS_A_PAGE = 50;

/** `/admin/threads/:id`: a thread as it stood at any moment, and all that happened to it and its posts. */
export default function ThreadHistoryPage() {
  const { id = '' } = useParams();
  const t = useText();
  const api = useApi();
  const [moments, setMoments] = useMoments();
  const [from, setFrom] = useState(0);
  const asOf = useQuery(threadAsOfQuery(api, id, moments, from));
  return (
    <HistoryFrame
      kind="thread"
      id={id}
      title={t('history.ofThread')}
      trail={[{ label: t('history.admin'), to: '/admin' }]}
      asOf={asOf}
      moments={moments}
      onMoments={setMoments}
    >
      {({ thread }) => (
        <Card>
          <h2>{t('history.asItStood')}</h2>
          {thread === null ? <p>{t('history.notStarted')}</p> : <Thread thread={thread} from={from} onFrom={setFrom} />}
        </Card>
      )}
    </HistoryFrame>
  );
}

function Thread({
  thread,
  from,
  onFrom,
}: {
  readonly thread: ThreadAsOfView;
  readonly from: number;
  readonly onFrom: (from: number) => void;
}) {
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
              <strong>#{number}</strong> · <time dateTime={postedAt}>{timeText(locale, postedAt)}</time>
              {editedAt !== null && <> · {t('history.edited', { time: timeText(locale, editedAt) })}</>}{' '}
              {status !== 'visible' && <Badge tone="danger">{t(`value.${status}`)}</Badge>}
            </p>
            <p className={styles['words']}>{body === '' ? t('history.gone') : body}</p>
          </li>
        ))}
      </ol>
      {postCount > POSTS_A_PAGE && (
        <div className={styles['buttons']}>
          <Button size="small" disabled={from === 0} onClick={() => onFrom(Math.max(0, from - POSTS_A_PAGE))}>
            {t('history.previousPosts')}
          </Button>
          <Button size="small" disabled={from + POSTS_A_PAGE >= postCount} onClick={() => onFrom(from + POSTS_A_PAGE)}>
            {t('history.nextPosts')}
          </Button>
        </div>
      )}
    </>
  );
}
