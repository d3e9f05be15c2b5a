import { useState } from 'react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { threadPath, type ResponseOf } from '@alpenglow/domain/contracts';
import {
  Badge,
  Button,
  communityKeys,
  EmptyState,
  messageOf,
  QueryError,
  RichHtml,
  TimeAgo,
  useApi,
  useHost,
  useUser,
  VisuallyHidden,
} from '@alpenglow/ui';
import { hidePost } from '../api/requests.ts';
import { hiddenQuery } from '../api/queries.ts';
import { ThreadListSkeleton } from '../lists/thread-list.tsx';
import rows from '../lists/thread-list.module.css';
import { useText } from '../text.ts';
import { AuthorName } from '../thread/author-name.tsx';
import { getPostUrl } from '../thread/post-url.ts';

/** Lists the hidden posts, latest first. Each post has a button that shows it again in its thread. */
export default function HiddenPosts() {
  const t = useText();
  const list = useInfiniteQuery(hiddenQuery(useApi(), useUser()?.id ?? ''));
  if (list.isPending) return <ThreadListSkeleton />;
  if (list.isError) return <QueryError query={list} text={t('community.listFailed')} />;
  const hidden = list.data.pages.flatMap(({ data }) => data);
  if (hidden.length === 0) {
    return (
      <EmptyState title={t('community.nothingHidden')}>
        <p>{t('community.nothingHiddenText')}</p>
      </EmptyState>
    );
  }
  return (
    <>
      <h2 className={rows['heading']}>
        <VisuallyHidden>{t('community.hiddenPosts')}</VisuallyHidden>
      </h2>
      <ul role="list" className={rows['list']}>
        {hidden.map((entry) => (
          <li key={entry.post.id}>
            <HiddenPost hidden={entry} />
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <div className={rows['more']}>
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {list.isFetchingNextPage ? t('community.loadingMore') : t('community.loadMore')}
          </Button>
        </div>
      )}
    </>
  );
}

function HiddenPost({
  hidden: { thread, post, by, hiddenAt },
}: {
  readonly hidden: ResponseOf<'listHiddenPosts'>['data'][number];
}) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const showAgain = async () => {
    setBusy(true);
    try {
      await hidePost(api, thread.id, post.number, false);
      await queryClient.invalidateQueries({ queryKey: communityKeys.all });
      notify({ text: t('community.isShownAgain'), tone: 'success' });
    } catch (error) {
      notify({ text: messageOf(error, t('community.sendFailed')), tone: 'danger' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <article className={rows['row']}>
      <div className={rows['words']}>
        <h3 className={rows['title']}>
          <Link to={getPostUrl(threadPath(thread), post.number)}>
            <bdi>{thread.title === '' ? t('community.threadWithoutTitle') : thread.title}</bdi>{' '}
            {post.number > 0 && `#${post.number}`}
          </Link>
        </h3>
        {post.html !== null && <RichHtml html={post.html} />}
        {post.hiddenReason !== null && <p>{t('community.hiddenBecause', { reason: post.hiddenReason })}</p>}
        <p className={rows['meta']}>
          <Badge tone={by === 'report' ? 'danger' : 'neutral'}>{t(`community.hiddenBy.${by}`)}</Badge>
          <span>
            <AuthorName author={post.author} /> · <TimeAgo at={hiddenAt} />
          </span>
        </p>
      </div>
      <Button size="small" busy={isBusy} onClick={() => void showAgain()}>
        {t('community.showAgain')}
      </Button>
    </article>
  );
}
